/*
Copyright The ImageListPullJob Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package framework

import (
	"context"
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
)

// FakeNodes are fake nodes of one spec. What cannot be done to them fails the spec.
type FakeNodes struct {
	*fakenodes.Nodes
	nodes  Tester[*corev1.Node]
	images NodeImages
}

// FakeNodes adds fake nodes for the spec, which go when it ends.
func (f *Framework) FakeNodes(ctx context.Context, count int) FakeNodes {
	GinkgoHelper()
	log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
	nodes, err := fakenodes.New(f.Config, f.Client, "fake-"+f.Namespace, log)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) { Expect(nodes.Close(ctx)).To(Succeed()) })
	fake := FakeNodes{nodes, Tester[*corev1.Node]{f.Client}, f.NodeImages}
	fake.Add(ctx, count)
	return fake
}

// Add adds nodes, and returns their names once they can be given images.
func (n FakeNodes) Add(ctx context.Context, count int) []string {
	GinkgoHelper()
	names, err := n.Nodes.Add(ctx, count)
	Expect(err).NotTo(HaveOccurred())
	return names
}

// Remove removes nodes, and returns once nothing is left of them.
func (n FakeNodes) Remove(ctx context.Context, names ...string) {
	GinkgoHelper()
	Expect(n.Nodes.Remove(ctx, names...)).To(Succeed())
}

// Answer says how pulls of an image go from now on, on these nodes or, without nodes, on all.
func (n FakeNodes) Answer(image string, outcome fakenodes.Outcome, nodes ...string) {
	GinkgoHelper()
	Expect(n.Nodes.Answer(image, outcome, nodes...)).To(Succeed())
}

// Pulls returns what the nodes report about an image.
func (n FakeNodes) Pulls(ctx context.Context, image string) (Pulls, error) {
	return n.images.pulls(ctx, image, client.MatchingLabels(n.Labels()))
}

// Pulling returns, sorted, the nodes that are pulling an image.
func (n FakeNodes) Pulling(ctx context.Context, image string) ([]string, error) {
	pulls, err := n.Pulls(ctx, image)
	return pulls.on(kruisev1alpha1.ImagePhasePulling), err
}

// Asked returns what Kruise asks of a node for an image; nil: nothing.
func (n FakeNodes) Asked(ctx context.Context, node, image string) *kruisev1alpha1.ImageTagSpec {
	GinkgoHelper()
	key, err := v1alpha1.ParseImageKey(image)
	Expect(err).NotTo(HaveOccurred())
	asked := n.images.Reload(ctx, &kruisev1alpha1.NodeImage{ObjectMeta: metav1.ObjectMeta{Name: node}})
	for _, tag := range asked.Spec.Images[key.Name].Tags {
		if tag.Tag == key.Tag {
			return &tag
		}
	}
	return nil
}

// Label gives a node another label, and returns once its NodeImage, which selectors are about, has it too.
func (n FakeNodes) Label(ctx context.Context, node, key, value string) {
	GinkgoHelper()
	obj := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}
	n.nodes.Update(ctx, obj, func(obj *corev1.Node) { obj.Labels = map[string]string{key: value} })
	image := &kruisev1alpha1.NodeImage{ObjectMeta: metav1.ObjectMeta{Name: node}}
	n.images.Eventually(ctx, image).Should(HaveField("Labels", HaveKeyWithValue(key, value)))
}

// Forget empties what the nodes are asked for, as Kruise does with entries that have expired.
func (n FakeNodes) Forget(ctx context.Context) {
	GinkgoHelper()
	for _, name := range n.Names() {
		image := &kruisev1alpha1.NodeImage{ObjectMeta: metav1.ObjectMeta{Name: name}}
		n.images.Update(ctx, n.images.Reload(ctx, image), func(image *kruisev1alpha1.NodeImage) { image.Spec.Images = nil })
	}
}

// OnFakeNodes chooses the fake nodes of the spec.
func OnFakeNodes(nodes FakeNodes) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) { t.Selector = nodes.Selector() }
}
