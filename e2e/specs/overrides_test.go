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
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("Overrides of single images", func() {
	f := framework.New()

	It("choose other nodes, by name, by label and by Pods", func(ctx SpecContext) {
		nodes := f.FakeNodes(ctx, 3)
		plain, named, podded := f.Image("plain"), f.Image("named"), f.Image("podded")
		f.PodOn(ctx, nodes.Names()[2], "app", "web")

		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", plain, named, podded),
			framework.OnFakeNodes(nodes), framework.Parallelism(3),
			framework.Override(named, framework.OnNodes(nodes.Names()[1])),
			framework.Override(podded, framework.OnNodesWithPods("app", "web"))))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(nodes.Pulls(ctx, plain)).To(framework.BePulledOn(nodes.Names()...))
		Expect(nodes.Pulls(ctx, named)).To(framework.BePulledOn(nodes.Names()[1]))
		Expect(nodes.Pulls(ctx, podded)).To(framework.BePulledOn(nodes.Names()[2]))
		children, err := f.ImagePullJobs.Of(ctx, job)
		Expect(err).NotTo(HaveOccurred())
		Expect(children[podded].Spec.Selector).To(BeNil(), "a podSelector takes the place of the inherited selector")
	})

	It("let more nodes pull at once", func(ctx SpecContext) {
		nodes, slow, fast := f.FakeNodes(ctx, 4), f.Image("slow"), f.Image("fast")
		nodes.Answer(slow, fakenodes.Hangs())
		nodes.Answer(fast, fakenodes.Hangs())
		f.Jobs.Create(ctx, framework.With(f.NewJob("job", slow, fast), framework.OnFakeNodes(nodes), framework.Parallelism(1),
			framework.Override(fast, framework.Parallelism(3))))
		Eventually(nodes.Pulling).WithContext(ctx).WithArguments(fast).Should(HaveLen(3))
		Eventually(nodes.Pulling).WithContext(ctx).WithArguments(slow).Should(HaveLen(1))
		Consistently(nodes.Pulling).WithContext(ctx).WithArguments(slow).Should(HaveLen(1))
	})

	It("reach the node field by field, and the rest is inherited", func(ctx SpecContext) {
		nodes, plain, other := f.FakeNodes(ctx, 1), f.Image("plain"), f.Image("other")
		job := framework.With(f.NewJob("job", plain), framework.OnFakeNodes(nodes), framework.PullPolicy(60, 2), framework.Deadline(120),
			framework.Override(other, framework.PullAlways(), framework.Deadline(90)))
		timeout := int32(30)
		job.Spec.ImageOverrides[0].PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: &timeout}
		f.Jobs.Create(ctx, job)
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)

		Expect(job).To(framework.HaveCounters(2, 0, 2, 2), "an image that only an override names is one of the job's")
		Expect(nodes.Asked(ctx, nodes.Names()[0], plain)).To(SatisfyAll(
			HaveField("ImagePullPolicy", kruisev1alpha1.PullIfNotPresent),
			HaveField("PullPolicy.TimeoutSeconds", HaveValue(BeEquivalentTo(60))),
			HaveField("PullPolicy.BackoffLimit", HaveValue(BeEquivalentTo(2))),
			HaveField("PullPolicy.ActiveDeadlineSeconds", HaveValue(BeNumerically("~", 120, 5)))))
		Expect(nodes.Asked(ctx, nodes.Names()[0], other)).To(SatisfyAll(
			HaveField("ImagePullPolicy", kruisev1alpha1.PullAlways),
			HaveField("PullPolicy.TimeoutSeconds", HaveValue(BeEquivalentTo(30))),
			HaveField("PullPolicy.BackoffLimit", HaveValue(BeEquivalentTo(2))),
			HaveField("PullPolicy.ActiveDeadlineSeconds", HaveValue(BeNumerically("~", 90, 5)))))
	})

	It("of the nodes may be lifted again: an empty selector means all nodes", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 2), f.Image("a")
		job := framework.With(f.NewJob("job", image), framework.OnNodes(nodes.Names()[0]), framework.Parallelism(100),
			framework.PullPolicy(30, 0), framework.Override(image)) // the real nodes find no such image
		job.Spec.ImageOverrides[0].Selector = &v1alpha1.ImagePullJobNodeSelector{}
		f.Jobs.Create(ctx, job)
		Eventually(nodes.Pulls).WithContext(ctx).WithArguments(image).Should(framework.BePulledOn(nodes.Names()...))
	})
})
