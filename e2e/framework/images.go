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
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

// Image returns an image reference that no other spec has.
func (f *Framework) Image(name string) string { return f.Namespace + "/" + name + ":1" }

// PushImage stores a generated image in a repository that no other spec uses, and returns how jobs name it.
func (f *Framework) PushImage(ctx context.Context, name string, options ...registry.ImageOption) string {
	GinkgoHelper()
	image := f.Image(name)
	f.PushAs(ctx, image, options...)
	return image
}

// PushAs stores a generated image under the name given, and returns the digest of its manifest.
func (f *Framework) PushAs(ctx context.Context, image string, options ...registry.ImageOption) string {
	GinkgoHelper()
	digest, err := f.Registry.Push(ctx, image, options...)
	Expect(err).NotTo(HaveOccurred())
	return digest
}

// Behave sets how the registry treats the nodes that ask for an image, until the spec ends.
func (f *Framework) Behave(ctx context.Context, image string, behaviour registry.Behaviour) {
	GinkgoHelper()
	Expect(f.Registry.Behave(ctx, image, behaviour)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		Expect(f.Registry.Behave(ctx, image, registry.Behaviour{})).To(Succeed())
	})
}

// Requests returns what nodes have asked for in the repository of an image, in the order in which they asked.
func (f *Framework) Requests(ctx context.Context, image string) ([]registry.Request, error) {
	requests, err := f.Registry.Requests(ctx, image)
	return slices.DeleteFunc(requests, func(r registry.Request) bool { return r.Node == "" }), err
}

// NodesThatAsked returns, sorted, the nodes that have asked the registry for an image.
func (f *Framework) NodesThatAsked(ctx context.Context, image string) ([]string, error) {
	requests, err := f.Requests(ctx, image)
	var nodes []string
	for _, request := range requests {
		nodes = append(nodes, request.Node)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), err
}
