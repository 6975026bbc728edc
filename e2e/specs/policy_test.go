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

package specs

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

var _ = Describe("An image pull policy", framework.NeedsRegistry, func() {
	f := framework.New()

	// pull lets a job pull an image onto every node, and returns the IDs of what the nodes then have.
	pull := func(ctx SpecContext, name, image string, options ...framework.JobOption) map[string]string {
		GinkgoHelper()
		options = append(options, framework.PullPolicy(10, 1), framework.Parallelism(allAtOnce))
		job := f.Jobs.Create(ctx, framework.With(f.NewJob(name, image), options...))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		pulls, err := f.NodeImages.Pulls(ctx, image)
		Expect(err).NotTo(HaveOccurred())
		Expect(pulls).To(framework.BePulledOn(f.NodeNames(ctx)...))
		ids := map[string]string{}
		for node, pull := range pulls {
			ids[node] = pull.ImageID
		}
		return ids
	}

	// asked returns the digests of the manifests that each node has fetched.
	asked := func(ctx SpecContext, image string) map[string][]string {
		GinkgoHelper()
		requests, err := f.Requests(ctx, image)
		Expect(err).NotTo(HaveOccurred())
		digests := map[string][]string{}
		for _, request := range requests {
			if request.Method == http.MethodGet && request.Manifest() != "" {
				digests[request.Node] = append(digests[request.Node], request.Manifest())
			}
		}
		return digests
	}

	It("follows a tag that moves if it is Always, and only then", func(ctx SpecContext) {
		image := f.PushImage(ctx, "moving")
		first := pull(ctx, "first", image)
		before, err := f.Requests(ctx, image)
		Expect(err).NotTo(HaveOccurred())
		digest := f.PushAs(ctx, image, registry.Content("moved"))

		By("IfNotPresent")
		Expect(pull(ctx, "again", image)).To(Equal(first), "what the nodes have stays")
		Expect(f.Requests(ctx, image)).To(Equal(before), "the registry is not asked")

		By("Always")
		second := pull(ctx, "always", image, framework.PullAlways())
		for node, id := range second {
			Expect(id).NotTo(BeEmpty())
			Expect(id).NotTo(Equal(first[node]), node)
			Expect(asked(ctx, image)[node]).To(HaveLen(2), node)
			Expect(asked(ctx, image)[node]).To(ContainElement(digest), node)
		}
	})

	It("of IfNotPresent fetches each part of each image once for each node", func(ctx SpecContext) {
		images := []string{f.PushImage(ctx, "a", registry.Layers(3)), f.PushImage(ctx, "b"), f.PushImage(ctx, "c")}
		for _, name := range []string{"job", "same-again"} {
			job := f.Jobs.Create(ctx, framework.With(f.NewJob(name, images...), framework.PullPolicy(10, 1), framework.Parallelism(allAtOnce)))
			f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		}
		for _, image := range images {
			requests, err := f.Requests(ctx, image)
			Expect(err).NotTo(HaveOccurred())
			times := map[string]int{}
			for _, request := range requests {
				times[request.Node+" "+request.Method+" "+request.Path]++
			}
			Expect(times).NotTo(BeEmpty())
			Expect(times).To(HaveEach(1), image)
			Expect(f.NodesThatAsked(ctx, image)).To(ConsistOf(f.NodeNames(ctx)))
		}
	})
})
