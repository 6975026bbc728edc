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
	"maps"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
)

// NodeImages tests NodeImages.
type NodeImages struct {
	Tester[*kruisev1alpha1.NodeImage]
}

// Pulls is what the nodes report about one image, by node. A node that reports nothing is not in it.
type Pulls map[string]kruisev1alpha1.ImageTagStatus

// Pulls returns what the nodes that are not fake report about an image.
func (n NodeImages) Pulls(ctx context.Context, image string) (Pulls, error) {
	return n.pulls(ctx, image, fakenodes.Real())
}

func (n NodeImages) pulls(ctx context.Context, image string, nodes client.ListOption) (Pulls, error) {
	key, err := v1alpha1.ParseImageKey(image)
	if err != nil {
		return nil, err
	}
	list := &kruisev1alpha1.NodeImageList{}
	if err := n.client.List(ctx, list, nodes); err != nil {
		return nil, err
	}
	pulls := Pulls{}
	for i := range list.Items {
		for _, tag := range list.Items[i].Status.ImageStatuses[key.Name].Tags {
			if tag.Tag == key.Tag {
				pulls[list.Items[i].Name] = tag
			}
		}
	}
	return pulls, nil
}

// EventuallyPulled waits until exactly these nodes, of those that are not fake, report the image as pulled.
func (n NodeImages) EventuallyPulled(ctx context.Context, image string, nodes ...string) {
	GinkgoHelper()
	Eventually(n.Pulls).WithContext(ctx).WithArguments(image).Should(BePulledOn(nodes...), image)
}

// on returns, sorted, the nodes whose pull is in a phase.
func (p Pulls) on(phase kruisev1alpha1.ImagePullPhase) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p)), func(node string) bool { return p[node].Phase != phase })
}
