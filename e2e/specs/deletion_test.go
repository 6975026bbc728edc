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
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

var _ = Describe("Deletion of a job that runs", func() {
	f := framework.New()

	// running makes a job with two images that no node finishes.
	running := func(ctx context.Context, nodes framework.FakeNodes) listJob {
		GinkgoHelper()
		images := []string{f.Image("a"), f.Image("b")}
		for _, image := range images {
			nodes.Answer(image, fakenodes.Hangs())
		}
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", images...), framework.OnFakeNodes(nodes)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 2, 0, 0))
		return job
	}

	DescribeTable("takes the children with it, and makes none (case 6)", func(ctx SpecContext, mode metav1.DeletionPropagation) {
		nodes := f.FakeNodes(ctx, 1)
		job := running(ctx, nodes)
		before, err := f.Children(ctx)
		Expect(err).NotTo(HaveOccurred())

		f.Jobs.Delete(ctx, job, client.PropagationPolicy(mode))
		f.Jobs.EventuallyGone(ctx, job)
		for _, child := range before {
			f.ImagePullJobs.EventuallyGone(ctx, &child)
		}
		Consistently(f.Children).WithContext(ctx).WithTimeout(framework.Calm / 2).Should(BeEmpty())
		Eventually(nodes.Asked).WithContext(ctx).WithArguments(nodes.Names()[0], job.Spec.Images[0]).Should(BeNil())
	},
		Entry("in the background", metav1.DeletePropagationBackground),
		Entry("in the foreground", metav1.DeletePropagationForeground),
	)

	It("ends the pulls of real nodes", framework.NeedsRegistry, func(ctx SpecContext) {
		image := f.PushImage(ctx, "image")
		f.Behave(ctx, image, registry.Behaviour{Hang: true})
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.Parallelism(allAtOnce)))
		f.EventuallyChild(ctx, job, image, HaveField("Status.Active", BeEquivalentTo(len(f.NodeNames(ctx)))))

		f.Jobs.Delete(ctx, job)
		f.Jobs.EventuallyGone(ctx, job)
		Eventually(f.Children).WithContext(ctx).Should(BeEmpty())
		Eventually(f.NodeImages.Pulls).WithContext(ctx).WithArguments(image).Should(BeEmpty())
	})

	It("leaves the children where that is asked for", func(ctx SpecContext) {
		nodes := f.FakeNodes(ctx, 1)
		job := running(ctx, nodes)
		before, err := f.Children(ctx)
		Expect(err).NotTo(HaveOccurred())

		f.Jobs.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationOrphan))
		f.Jobs.EventuallyGone(ctx, job)
		for _, image := range job.Spec.Images {
			nodes.Answer(image, fakenodes.Succeeds(0))
			child := before[image]
			f.ImagePullJobs.Eventually(ctx, &child).Should(And(
				HaveField("OwnerReferences", BeEmpty()), HaveField("Status.CompletionTime", Not(BeNil()))))
		}
	})

	DescribeTable("is over for another job of the same name that comes at once (case 22)", func(ctx SpecContext, mode metav1.DeletionPropagation) {
		nodes := f.FakeNodes(ctx, 1)
		old := running(ctx, nodes)
		before, err := f.ImagePullJobs.Of(ctx, old)
		Expect(err).NotTo(HaveOccurred())
		f.Jobs.Delete(ctx, old, client.PropagationPolicy(mode))
		again := framework.With(f.NewJob(old.Name, old.Spec.Images...), framework.OnFakeNodes(nodes))
		Eventually(f.Create).WithContext(ctx).WithArguments(again).Should(Succeed())

		f.Jobs.Eventually(ctx, again).Should(framework.HaveCounters(2, 2, 0, 0))
		for _, image := range again.Spec.Images {
			f.EventuallyChild(ctx, again, image, HaveField("UID", Not(Equal(before[image].UID))))
			nodes.Answer(image, fakenodes.Succeeds(0))
		}
		f.Jobs.EventuallyFinished(ctx, again, v1alpha1.ReasonAllImagesPulled)
	},
		Entry("in the background", metav1.DeletePropagationBackground),
		Entry("in the foreground", metav1.DeletePropagationForeground),
		Entry("as an orphan", metav1.DeletePropagationOrphan),
	)
})

var _ = Describe("Children", func() {
	f := framework.New()

	It("that somebody deletes are made again while the job runs (case 7)", func(ctx SpecContext) {
		nodes, image, other := f.FakeNodes(ctx, 1), f.Image("a"), f.Image("b")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image, other), framework.OnFakeNodes(nodes)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 1, 1, 1))
		before, err := f.ImagePullJobs.Of(ctx, job)
		Expect(err).NotTo(HaveOccurred())

		Expect(f.DeleteAllOf(ctx, &kruisev1alpha1.ImagePullJob{}, client.InNamespace(f.Namespace))).To(Succeed())
		for _, image := range job.Spec.Images {
			f.EventuallyChild(ctx, job, image, HaveField("UID", Not(Equal(before[image].UID))))
		}
		nodes.Answer(image, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job).To(framework.HaveCounters(2, 0, 2, 2))
	})

	It("that somebody deletes are not made again once the job has finished (case 14)", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		status := job.Status

		f.ImagePullJobs.Delete(ctx, f.EventuallyChild(ctx, job, image, Not(BeNil())))
		Eventually(f.Children).WithContext(ctx).Should(BeEmpty())
		Consistently(f.Children).WithContext(ctx).Should(BeEmpty())
		Expect(f.Jobs.Reload(ctx, job).Status).To(Equal(status))
	})

	It("that lose their labels get them back, and nothing is pulled twice (case 29)", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes)))
		child := f.EventuallyChild(ctx, job, image, HaveField("Status.Active", BeEquivalentTo(1)))
		labels := child.Labels

		f.ImagePullJobs.Update(ctx, child, func(child *kruisev1alpha1.ImagePullJob) { child.Labels = nil })
		f.ImagePullJobs.Eventually(ctx, child).Should(HaveField("Labels", labels))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 1, 0, 0))
		nodes.Answer(image, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.EventuallyChild(ctx, job, image, HaveField("UID", child.UID))
		Expect(nodes.Asked(ctx, nodes.Names()[0], image).Version).To(BeZero(), "the node was asked once")
	})

	It("do not take a name from somebody else's object (case 18)", func(ctx SpecContext) {
		nodes, image, other := f.FakeNodes(ctx, 1), f.Image("a"), f.Image("b")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image, other), framework.OnFakeNodes(nodes)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 1, 1, 1))
		former := f.EventuallyChild(ctx, job, other, Not(BeNil()))

		By("removing the image, so that its name is free, and taking that")
		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = []string{image} })
		f.ImagePullJobs.EventuallyGone(ctx, former)
		foreign := f.ImagePullJobs.Create(ctx, &kruisev1alpha1.ImagePullJob{
			ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: former.Name},
			Spec:       kruisev1alpha1.ImagePullJobSpec{Image: f.Image("foreign"), ImagePullJobTemplate: former.Spec.ImagePullJobTemplate},
		})
		f.Jobs.Update(ctx, job, func(j listJob) { j.Spec.Images = []string{image, other} })
		Eventually(f.Events).WithContext(ctx).WithArguments(job).
			Should(ContainElement(And(HavePrefix("Warning NameTaken: "), ContainSubstring(former.Name))))
		f.Jobs.Eventually(ctx, job).Should(HaveField("Status.Conditions", ContainElement(And(
			HaveField("Type", v1alpha1.ConditionFinished), HaveField("Message", ContainSubstring(former.Name))))))
		f.ImagePullJobs.Consistently(ctx, foreign).WithTimeout(framework.Calm / 2).Should(And(
			HaveField("UID", foreign.UID), HaveField("OwnerReferences", BeEmpty()), HaveField("DeletionTimestamp", BeNil())))

		By("giving the name back")
		f.ImagePullJobs.Delete(ctx, foreign)
		nodes.Answer(image, fakenodes.Succeeds(0))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job).To(framework.HaveCounters(2, 0, 2, 2))
	})
})
