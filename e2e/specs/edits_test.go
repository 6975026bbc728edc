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
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

// listJob is what edits are made to.
type listJob = *v1alpha1.ImageListPullJob

var _ = Describe("An edit while the job runs", func() {
	f := framework.New()

	It("adds, removes and replaces images, and leaves the others alone", func(ctx SpecContext) {
		nodes, kept, removed, added := f.FakeNodes(ctx, 1), f.Image("kept"), f.Image("removed"), f.Image("added")
		for _, image := range []string{kept, removed, added} {
			nodes.Answer(image, fakenodes.Hangs())
		}
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", kept, removed), framework.OnFakeNodes(nodes)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 2, 0, 0))
		child := f.EventuallyChild(ctx, job, kept, Not(BeNil()))

		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = []string{added, kept} })
		f.Jobs.Eventually(ctx, job).Should(And(framework.HaveObserved(), framework.HaveCounters(2, 2, 0, 0)))
		Eventually(f.Children).WithContext(ctx).Should(framework.BeForImages(kept, added))
		Eventually(nodes.Asked).WithContext(ctx).WithArguments(nodes.Names()[0], removed).Should(BeNil())

		nodes.Answer(kept, fakenodes.Succeeds(0))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 1, 1, 1))
		nodes.Answer(added, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.EventuallyChild(ctx, job, kept, HaveField("UID", child.UID))
	})

	It("may exchange everything: nothing counts but what is asked for now (case 2)", func(ctx SpecContext) {
		nodes, done, stuck, next := f.FakeNodes(ctx, 1), f.Image("done"), f.Image("stuck"), f.Image("next")
		nodes.Answer(stuck, fakenodes.Hangs())
		nodes.Answer(next, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", done, stuck), framework.OnFakeNodes(nodes)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 1, 1, 1))

		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = []string{next} })
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 1, 0, 0))
		f.Jobs.Consistently(ctx, job).Should(HaveField("Status.CompletionTime", BeNil()))
		nodes.Answer(next, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job).To(framework.HaveCounters(1, 0, 1, 1))
	})

	It("of an override replaces the child of that image alone", func(ctx SpecContext) {
		nodes, plain, special := f.FakeNodes(ctx, 2), f.Image("plain"), f.Image("special")
		nodes.Answer(plain, fakenodes.Hangs())
		nodes.Answer(special, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", plain, special), framework.OnFakeNodes(nodes), framework.Parallelism(2)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 2, 0, 0))
		before, err := f.ImagePullJobs.Of(ctx, job)
		Expect(err).NotTo(HaveOccurred())

		f.Jobs.Update(ctx, job, func(j listJob) { framework.With(j, framework.Override(special, framework.OnNodes(nodes.Names()[1]))) })
		f.EventuallyChild(ctx, job, special, And(
			HaveField("UID", Not(Equal(before[special].UID))), HaveField("Spec.Selector.Names", Equal(nodes.Names()[1:]))))
		nodes.Answer(plain, fakenodes.Succeeds(0))
		nodes.Answer(special, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.EventuallyChild(ctx, job, plain, HaveField("UID", before[plain].UID))
	})

	It("that is taken back at once ends with one child an image (case 21)", func(ctx SpecContext) {
		nodes, image, other := f.FakeNodes(ctx, 1), f.Image("a"), f.Image("b")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image, other), framework.OnFakeNodes(nodes)))
		f.Jobs.Eventually(ctx, job).Should(HaveField("Status.Desired", BeEquivalentTo(2)))
		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = []string{image} })
		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = []string{image, other} })

		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job).To(framework.HaveCounters(2, 0, 2, 2))
		Expect(f.Children(ctx)).To(framework.BeForImages(image, other))
	})
})

var _ = Describe("An edit after the job has finished", func() {
	f := framework.New()

	It("re-opens it for another image, and pulls nothing else again", func(ctx SpecContext) {
		nodes, image, added := f.FakeNodes(ctx, 1), f.Image("a"), f.Image("added")
		nodes.Answer(added, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		child := f.EventuallyChild(ctx, job, image, Not(BeNil()))

		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = append(j.Spec.Images, added) })
		f.Jobs.Eventually(ctx, job).Should(And(framework.HaveCounters(2, 1, 1, 1), HaveField("Status.CompletionTime", BeNil())))
		nodes.Answer(added, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job).To(framework.HaveCounters(2, 0, 2, 2))
		f.EventuallyChild(ctx, job, image, HaveField("UID", child.UID))
		Expect(nodes.Asked(ctx, nodes.Names()[0], image).Version).To(BeZero(), "the node was asked once")
		Eventually(f.Events).WithContext(ctx).WithArguments(job).Should(ContainElement(HavePrefix("Normal Reopened: ")))
	})

	It("re-opens it for other nodes (case 13)", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 2), f.Image("a")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnNodes(nodes.Names()[0])))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(nodes.Names()[0]))

		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Selector.Names = nodes.Names() })
		Eventually(nodes.Pulls).WithContext(ctx).WithArguments(image).Should(framework.BePulledOn(nodes.Names()...))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
	})

	It("replaces the children of the images that it is about, and no others", func(ctx SpecContext) {
		nodes, plain, special := f.FakeNodes(ctx, 1), f.Image("plain"), f.Image("special")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", plain, special), framework.OnFakeNodes(nodes)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		before, err := f.ImagePullJobs.Of(ctx, job)
		Expect(err).NotTo(HaveOccurred())

		f.Jobs.Update(ctx, job, func(j listJob) { framework.With(j, framework.Override(special, framework.PullAlways())) })
		f.EventuallyChild(ctx, job, special, HaveField("UID", Not(Equal(before[special].UID))))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.EventuallyChild(ctx, job, plain, HaveField("UID", before[plain].UID))
	})

	It("drops what was removed", func(ctx SpecContext) {
		nodes, image, bad := f.FakeNodes(ctx, 1), f.Image("a"), f.Image("bad")
		nodes.Answer(bad, fakenodes.Fails("not found"))
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image, bad), framework.OnFakeNodes(nodes)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)

		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = []string{image} })
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job).To(And(framework.HaveCounters(1, 0, 1, 1), HaveField("Status.FailedImagePullJobStatuses", BeEmpty())))
		Eventually(f.Children).WithContext(ctx).Should(framework.BeForImages(image))
	})

	DescribeTable("re-opens nothing where it changes nothing about the images", func(ctx SpecContext, edit func(listJob)) {
		nodes, images := f.FakeNodes(ctx, 1), []string{f.Image("a"), f.Image("b")}
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", images...), framework.OnFakeNodes(nodes)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		completion := job.Status.CompletionTime
		before, err := f.ImagePullJobs.Of(ctx, job)
		Expect(err).NotTo(HaveOccurred())

		f.Jobs.Update(ctx, job, edit)
		f.Jobs.Eventually(ctx, job).Should(framework.HaveObserved())
		f.Jobs.Consistently(ctx, job).WithTimeout(framework.Calm / 2).Should(And(
			HaveField("Status.CompletionTime", completion), framework.HaveFinished(v1alpha1.ReasonAllImagesPulled)))
		after, err := f.ImagePullJobs.Of(ctx, job)
		Expect(err).NotTo(HaveOccurred())
		for _, image := range images {
			Expect(after[image].UID).To(Equal(before[image].UID), image)
		}
	},
		Entry("labels", func(j listJob) { j.Labels = map[string]string{"a": "b"} }),
		Entry("order", func(j listJob) { j.Spec.Images[0], j.Spec.Images[1] = j.Spec.Images[1], j.Spec.Images[0] }),
		Entry("parallelism", func(j listJob) { j.Spec.Parallelism = ptr.To(intstr.FromInt(7)) }),
		Entry("maxConcurrentImages", func(j listJob) { j.Spec.MaxConcurrentImages = ptr.To[int32](1) }),
		Entry("the deadline", func(j listJob) { j.Spec.CompletionPolicy.ActiveDeadlineSeconds = ptr.To[int64](3600) }),
		Entry("the TTL", func(j listJob) { j.Spec.CompletionPolicy.TTLSecondsAfterFinished = ptr.To[int32](3600) }),
		Entry("a default that is spelled out", func(j listJob) {
			framework.With(j, framework.Override(j.Spec.Images[0], framework.PullPolicy(600, 3)))
		}),
		Entry("the way in which an image is spelled", func(j listJob) { j.Spec.Images[0] = "docker.io/" + j.Spec.Images[0] }),
	)
})
