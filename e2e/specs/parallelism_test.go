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
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("Parallelism", func() {
	f := framework.New()

	setParallelism := func(ctx context.Context, job *v1alpha1.ImageListPullJob, nodes int) {
		GinkgoHelper()
		f.Jobs.Update(ctx, job, func(job *v1alpha1.ImageListPullJob) { job.Spec.Parallelism = ptr.To(intstr.FromInt(nodes)) })
	}

	It("lets no more nodes pull an image at once", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 5), f.Image("a")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Parallelism(2)))

		var done []string
		for len(done) < 5 {
			atOnce := min(5-len(done), 2)
			Eventually(nodes.Pulling).WithContext(ctx).WithArguments(image).Should(HaveLen(atOnce))
			Consistently(nodes.Pulling).WithContext(ctx).WithArguments(image).WithTimeout(framework.Calm / 2).Should(HaveLen(atOnce))
			busy, err := nodes.Pulling(ctx, image)
			Expect(err).NotTo(HaveOccurred())
			nodes.Answer(image, fakenodes.Succeeds(0), busy...)
			done = append(done, busy...)
			Eventually(nodes.Pulls).WithContext(ctx).WithArguments(image).Should(framework.BePulledOn(done...))
		}
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(nodes.Names()...))
	})

	It("is one node where nothing is said", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 3), f.Image("a")
		nodes.Answer(image, fakenodes.Hangs())
		f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes)))
		Eventually(nodes.Pulling).WithContext(ctx).WithArguments(image).Should(HaveLen(1))
		Consistently(nodes.Pulling).WithContext(ctx).WithArguments(image).Should(HaveLen(1))
	})

	It("of 0 pauses, and more resumes, without starting anything anew", func(ctx SpecContext) {
		nodes, first, second := f.FakeNodes(ctx, 3), f.Image("a"), f.Image("b")
		nodes.Answer(first, fakenodes.Hangs())
		nodes.Answer(second, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", first, second), framework.OnFakeNodes(nodes), framework.Parallelism(1)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 2, 0, 0))
		before, err := f.ImagePullJobs.Of(ctx, job)
		Expect(err).NotTo(HaveOccurred())

		setParallelism(ctx, job, 0)
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCondition(v1alpha1.ConditionFinished, metav1.ConditionFalse, v1alpha1.ReasonPaused))
		By("finishing what runs: no other node begins")
		nodes.Answer(first, fakenodes.Succeeds(0))
		nodes.Answer(second, fakenodes.Succeeds(0))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 0, 0, 0))
		Consistently(nodes.Pulls).WithContext(ctx).WithArguments(first).Should(HaveLen(1))

		setParallelism(ctx, job, 3)
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		for _, image := range job.Spec.Images {
			Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(nodes.Names()...))
			f.EventuallyChild(ctx, job, image, HaveField("UID", before[image].UID))
		}
	})

	It("can be raised and lowered while the job runs", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 5), f.Image("a")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Parallelism(1)))
		child := f.EventuallyChild(ctx, job, image, HaveField("Status.Active", BeEquivalentTo(1)))

		setParallelism(ctx, job, 3)
		Eventually(nodes.Pulling).WithContext(ctx).WithArguments(image).Should(HaveLen(3))
		setParallelism(ctx, job, 1)
		f.EventuallyChild(ctx, job, image, HaveField("Spec.Parallelism", HaveValue(Equal(intstr.FromInt(1)))))
		Consistently(nodes.Pulling).WithContext(ctx).WithArguments(image).Should(HaveLen(3), "what runs goes on")

		nodes.Answer(image, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(f.ImagePullJobs.Reload(ctx, child).Status.Succeeded).To(BeEquivalentTo(5))
		f.EventuallyChild(ctx, job, image, HaveField("UID", child.UID))
	})
})
