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
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("The deadline", func() {
	f := framework.New()

	It("ends a job, and lists what had not finished as failed", func(ctx SpecContext) {
		nodes, done, stuck := f.FakeNodes(ctx, 2), f.Image("done"), f.Image("stuck")
		nodes.Answer(stuck, fakenodes.Hangs(), nodes.Names()[1])
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", done, stuck),
			framework.OnFakeNodes(nodes), framework.Parallelism(2), framework.Deadline(5), framework.PullPolicy(5, 0)))

		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonDeadlineExceeded)
		Expect(job.Status.Succeeded).To(BeEquivalentTo(1))
		Expect(job.Status.FailedImagePullJobStatuses).To(HaveLen(1))
		Expect(job).To(framework.HaveRunOutOfTime(stuck, 1))
		Expect(job.Status.CompletionTime.Sub(job.Status.StartTime.Time)).To(BeNumerically("~", 5*time.Second, 2*time.Second))
		Eventually(f.Events).WithContext(ctx).WithArguments(job).Should(ContainElement(HavePrefix("Warning DeadlineExceeded: ")))

		By("finishing the pull after all: the job is over")
		over := *job.Status.DeepCopy()
		nodes.Answer(stuck, fakenodes.Succeeds(0))
		f.Jobs.Consistently(ctx, job).Should(HaveField("Status", over))
	})

	It("passes for a job that is paused, too", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image),
			framework.OnFakeNodes(nodes), framework.Parallelism(0), framework.Deadline(4), framework.PullPolicy(4, 0)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonDeadlineExceeded)
		Expect(nodes.Pulls(ctx, image)).To(BeEmpty())
	})

	It("can be put off while the job runs, without starting anything anew", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Deadline(8), framework.PullPolicy(8, 0)))
		child := f.EventuallyChild(ctx, job, image, HaveField("Status.Active", BeEquivalentTo(1)))
		f.Jobs.Update(ctx, job, func(job *v1alpha1.ImageListPullJob) {
			job.Spec.CompletionPolicy.ActiveDeadlineSeconds = ptr.To[int64](600)
		})
		f.EventuallyChild(ctx, job, image, And(HaveField("UID", child.UID),
			HaveField("Spec.CompletionPolicy.ActiveDeadlineSeconds", HaveValue(BeNumerically("~", 600, 5)))))

		f.Jobs.Consistently(ctx, job).WithTimeout(10 * time.Second).ShouldNot(framework.HaveFinished(v1alpha1.ReasonDeadlineExceeded))
		nodes.Answer(image, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
	})

	It("that has passed is final: an edit of the TTL re-opens nothing, and counts (case 26)", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Deadline(3), framework.PullPolicy(3, 0)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonDeadlineExceeded)
		completion := job.Status.CompletionTime

		f.Jobs.Update(ctx, job, func(job *v1alpha1.ImageListPullJob) {
			job.Spec.CompletionPolicy.TTLSecondsAfterFinished = ptr.To[int32](3600)
		})
		f.Jobs.Eventually(ctx, job).Should(framework.HaveObserved())
		f.Jobs.Consistently(ctx, job).Should(HaveField("Status.CompletionTime", completion))
		f.Jobs.Update(ctx, job, func(job *v1alpha1.ImageListPullJob) {
			job.Spec.CompletionPolicy.TTLSecondsAfterFinished = ptr.To[int32](1)
		})
		f.Jobs.EventuallyGone(ctx, job)
	})
})

var _ = Describe("The TTL", func() {
	f := framework.New()

	It("deletes a finished job and its children, and only then (case 4)", func(ctx SpecContext) {
		nodes, fast, slow := f.FakeNodes(ctx, 1), f.Image("fast"), f.Image("slow")
		nodes.Answer(slow, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", fast, slow), framework.OnFakeNodes(nodes), framework.TTL(3)))

		By("having finished one image for longer than the TTL")
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 1, 1, 1))
		child := f.EventuallyChild(ctx, job, fast, HaveField("Spec.CompletionPolicy.TTLSecondsAfterFinished", BeNil()))
		f.ImagePullJobs.Consistently(ctx, child).WithTimeout(5 * time.Second).Should(HaveField("DeletionTimestamp", BeNil()))

		answered := time.Now()
		nodes.Answer(slow, fakenodes.Succeeds(0))
		f.Jobs.EventuallyGone(ctx, job)
		Expect(time.Since(answered)).To(BeNumerically(">=", 2*time.Second), "the TTL is 3 s, counted from whole seconds")
		Eventually(f.Children).WithContext(ctx).Should(BeEmpty())
		Eventually(f.Events).WithContext(ctx).WithArguments(job).
			Should(ContainElements(HavePrefix("Normal Completed: "), HavePrefix("Normal TTLExpired: ")))
		Eventually(nodes.Asked).WithContext(ctx).WithArguments(nodes.Names()[0], fast).Should(BeNil())
	})

	It("of 0 keeps the job", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.TTL(0)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.Jobs.Consistently(ctx, job).Should(framework.HaveFinished(v1alpha1.ReasonAllImagesPulled))
	})
})
