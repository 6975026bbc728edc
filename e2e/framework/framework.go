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

// Package framework is what the e2e specs share: a namespace for each spec, clients of the cluster that KUBECONFIG names, and a dump
// of what the namespace held when a spec fails.
package framework

import (
	"context"
	"fmt"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

const (
	// Patience is how long the cluster may take for anything that a spec waits for.
	Patience = 90 * time.Second
	// Poll is how often a spec looks.
	Poll = 200 * time.Millisecond
)

// Framework is the cluster as one spec sees it.
type Framework struct {
	client.Client
	// Namespace is made for the spec, and deleted after it.
	Namespace string
	// Registry is the one that the nodes pull from, as E2E_REGISTRY names it.
	Registry *registry.Client
}

// New sets up a Framework for each spec of the container that it is called in.
func New() *Framework {
	f := &Framework{}
	BeforeEach(f.setUp)
	return f
}

func (f *Framework) setUp(ctx SpecContext) {
	SetDefaultEventuallyTimeout(Patience)
	SetDefaultEventuallyPollingInterval(Poll)
	f.Client = newClient()
	f.Registry = registry.NewClient(os.Getenv("E2E_REGISTRY"))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}
	Expect(f.Create(ctx, namespace)).To(Succeed())
	f.Namespace = namespace.Name
	DeferCleanup(func(ctx SpecContext) {
		if CurrentSpecReport().Failed() {
			f.dump(ctx)
		}
		Expect(f.Delete(ctx, namespace)).To(Succeed())
	})
}

func newClient() client.Client {
	GinkgoHelper()
	path := os.Getenv("KUBECONFIG")
	Expect(path).NotTo(BeEmpty(), "KUBECONFIG must name the cluster to test; make e2e starts one")
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	Expect(err).NotTo(HaveOccurred())

	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())
	scheme.AddKnownTypes(v1alpha1.GroupVersion,
		&kruisev1alpha1.ImagePullJob{}, &kruisev1alpha1.ImagePullJobList{},
		&kruisev1alpha1.NodeImage{}, &kruisev1alpha1.NodeImageList{})
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// NewJob returns a job of the namespace with these images.
func (f *Framework) NewJob(name string, images ...string) *v1alpha1.ImageListPullJob {
	return &v1alpha1.ImageListPullJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: name},
		Spec:       v1alpha1.ImageListPullJobSpec{Images: images},
	}
}

// Reload reads an object again, and returns it.
func Reload[T client.Object](ctx context.Context, f *Framework, obj T) (T, error) {
	return obj, f.Get(ctx, client.ObjectKeyFromObject(obj), obj)
}

// Children returns the ImagePullJobs of the namespace that are not being deleted, by image.
func (f *Framework) Children(ctx context.Context) (map[string]kruisev1alpha1.ImagePullJob, error) {
	list := &kruisev1alpha1.ImagePullJobList{}
	if err := f.List(ctx, list, client.InNamespace(f.Namespace)); err != nil {
		return nil, err
	}
	children := make(map[string]kruisev1alpha1.ImagePullJob, len(list.Items))
	for _, child := range list.Items {
		if child.DeletionTimestamp != nil {
			continue
		}
		if other, ok := children[child.Spec.Image]; ok {
			return nil, fmt.Errorf("two ImagePullJobs for image %s: %s and %s", child.Spec.Image, other.Name, child.Name)
		}
		children[child.Spec.Image] = child
	}
	return children, nil
}

// NodeNames returns the names of all nodes.
func (f *Framework) NodeNames(ctx context.Context) []string {
	GinkgoHelper()
	nodes := &corev1.NodeList{}
	Expect(f.List(ctx, nodes)).To(Succeed())
	names := make([]string, len(nodes.Items))
	for i := range nodes.Items {
		names[i] = nodes.Items[i].Name
	}
	return names
}

// PulledOn returns the nodes that report the image as pulled.
func (f *Framework) PulledOn(ctx context.Context, image string) ([]string, error) {
	key, err := v1alpha1.ParseImageKey(image)
	if err != nil {
		return nil, err
	}
	list := &kruisev1alpha1.NodeImageList{}
	if err := f.List(ctx, list); err != nil {
		return nil, err
	}
	var nodes []string
	for i := range list.Items {
		for _, tag := range list.Items[i].Status.ImageStatuses[key.Name].Tags {
			if tag.Tag == key.Tag && tag.Phase == kruisev1alpha1.ImagePhaseSucceeded {
				nodes = append(nodes, list.Items[i].Name)
			}
		}
	}
	return nodes, nil
}
