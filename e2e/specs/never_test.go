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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("A job of type Never", func() {
	f := framework.New()

	It("pulls onto a node that joins", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 2), f.Image("a")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Parallelism(2), framework.Never()))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 0, 1, 1))
		Expect(job).To(framework.HaveCondition(v1alpha1.ConditionFinished, metav1.ConditionFalse, v1alpha1.ReasonNeverFinishes))
		Expect(job.Status.CompletionTime).To(BeNil())

		nodes.Answer(image, fakenodes.Hangs())
		nodes.Add(ctx, 1)
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 1, 0, 0))
		nodes.Answer(image, fakenodes.Succeeds(0))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 0, 1, 1))
		Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(nodes.Names()...))
	})

	It("pulls again what a node was to forget", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Never()))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 0, 1, 1))
		before := f.EventuallyChild(ctx, job, image, Not(BeNil()))

		By("emptying the NodeImage, as its controller does after a day")
		nodes.Answer(image, fakenodes.Hangs())
		nodes.Forget(ctx)
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 1, 0, 0))
		nodes.Answer(image, fakenodes.Succeeds(0))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(1, 0, 1, 1))
		Expect(job).To(framework.HaveCondition(v1alpha1.ConditionFinished, metav1.ConditionFalse, v1alpha1.ReasonNeverFinishes))
		Expect(f.ImagePullJobs.Reload(ctx, before).UID).To(Equal(before.UID))
	})

	It("tells in its message, and not by an end, that an image fails", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 2), f.Image("a")
		nodes.Answer(image, fakenodes.Fails("manifest unknown"), nodes.Names()[0])
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Parallelism(2), framework.Never()))
		f.Jobs.Eventually(ctx, job).Should(And(
			framework.HaveCounters(1, 0, 1, 0), framework.HaveFailedImage(image, "manifest unknown", nodes.Names()[0])))
		Expect(job).To(And(
			framework.HaveCondition(v1alpha1.ConditionFinished, metav1.ConditionFalse, v1alpha1.ReasonNeverFinishes),
			framework.HaveCondition(v1alpha1.ConditionFailed, metav1.ConditionFalse, v1alpha1.ReasonNeverFinishes)))
	})
})
