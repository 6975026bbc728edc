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
	"encoding/json"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("Choice of nodes", func() {
	f := framework.New()

	DescribeTable("takes every node", framework.Smoke, func(ctx SpecContext, selector *v1alpha1.ImagePullJobNodeSelector) {
		job := f.NewJob("job", "nginx", "busybox:1.35")
		job.Spec.Selector = selector
		f.Jobs.Create(ctx, framework.With(job, framework.Parallelism(10)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		for _, image := range job.Spec.Images { // other specs use them too: the child says that it was this job
			f.NodeImages.EventuallyPulled(ctx, image, f.NodeNames(ctx)...)
			f.EventuallyChild(ctx, job, image, HaveField("Status.Succeeded", BeNumerically(">=", len(f.NodeNames(ctx)))))
		}
	},
		Entry("without a selector", nil),
		Entry("with an empty one (case 28)", &v1alpha1.ImagePullJobNodeSelector{}),
	)

	It("takes a real node by name, and by label, and leaves the others alone", framework.NeedsRegistry, func(ctx SpecContext) {
		named, labelled := f.PushImage(ctx, "named"), f.PushImage(ctx, "labelled")
		names := f.NodeNames(ctx)
		first, last := names[0], names[len(names)-1]
		byName := f.Jobs.Create(ctx, framework.With(f.NewJob("name", named), framework.OnNodes(first)))
		byLabel := f.Jobs.Create(ctx, framework.With(f.NewJob("label", labelled), framework.OnNodesLabelled(corev1.LabelHostname, last)))

		f.Jobs.EventuallyFinished(ctx, byName, v1alpha1.ReasonAllImagesPulled)
		f.Jobs.EventuallyFinished(ctx, byLabel, v1alpha1.ReasonAllImagesPulled)
		Expect(f.NodesThatAsked(ctx, named)).To(ConsistOf(first))
		Expect(f.NodesThatAsked(ctx, labelled)).To(ConsistOf(last))
	})

	It("takes nodes by name", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 3), f.Image("a")
		chosen := []string{nodes.Names()[0], nodes.Names()[2]}
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnNodes(chosen...)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(chosen...))
	})

	It("takes nodes by label, and by expressions on labels", func(ctx SpecContext) {
		nodes, image, other := f.FakeNodes(ctx, 3), f.Image("a"), f.Image("b")
		disk, ssd, hdd := "disk-"+f.Namespace, nodes.Names()[0], nodes.Names()[1]
		nodes.Label(ctx, ssd, disk, "ssd")
		nodes.Label(ctx, hdd, disk, "hdd")

		byLabel := f.Jobs.Create(ctx, framework.With(f.NewJob("label", image), framework.OnNodesLabelled(disk, "ssd")))
		byExpression := f.NewJob("expression", other)
		byExpression.Spec.Selector = &v1alpha1.ImagePullJobNodeSelector{LabelSelector: v1alpha1.LabelSelector{
			MatchExpressions: []v1alpha1.LabelSelectorRequirement{
				{Key: disk, Operator: metav1.LabelSelectorOpExists},
				{Key: disk, Operator: metav1.LabelSelectorOpNotIn, Values: []v1alpha1.LabelValue{"ssd", "nvme"}},
			},
		}}
		f.Jobs.Create(ctx, byExpression)

		f.Jobs.EventuallyFinished(ctx, byLabel, v1alpha1.ReasonAllImagesPulled)
		f.Jobs.EventuallyFinished(ctx, byExpression, v1alpha1.ReasonAllImagesPulled)
		Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(ssd))
		Expect(nodes.Pulls(ctx, other)).To(framework.BePulledOn(hdd))
	})

	It("takes the nodes that run certain Pods of the namespace", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 3), f.Image("a")
		f.PodOn(ctx, nodes.Names()[0], "app", "web")
		f.PodOn(ctx, nodes.Names()[1], "app", "db")
		f.PodOn(ctx, nodes.Names()[2], "app", "web")

		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnNodesWithPods("app", "web")))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(nodes.Names()[0], nodes.Names()[2]))
	})

	It("says so when it comes to no node at all (case 10)", func(ctx SpecContext) {
		typo := f.Namespace + "-typo"
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", f.Image("a"), f.Image("b")), framework.OnNodes(typo)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonNoNodesMatched)
		Expect(job).To(framework.HaveCounters(2, 0, 2, 2))
		Eventually(f.Events).WithContext(ctx).WithArguments(job).
			Should(ContainElement(And(HavePrefix("Warning NoNodesMatched: "), ContainSubstring(f.Image("a")), ContainSubstring(f.Image("b")))))
	})
})

var _ = Describe("Nodes that are in trouble", func() {
	f := framework.New()

	It("fail alone", func(ctx SpecContext) {
		nodes, good, bad := f.FakeNodes(ctx, 3), f.Image("good"), f.Image("bad")
		broken := nodes.Names()[1]
		nodes.Answer(bad, fakenodes.Fails("no space left on device"), broken)

		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", bad, good), framework.OnFakeNodes(nodes), framework.Parallelism(2)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Expect(job).To(And(framework.HaveCounters(2, 0, 2, 1), framework.HaveFailedImage(bad, "no space left on device", broken)))
		Expect(job.Status.FailedImagePullJobStatuses).To(HaveLen(1))
		Expect(nodes.Pulls(ctx, bad)).To(framework.BePulledOn(nodes.Names()[0], nodes.Names()[2]))
		Expect(nodes.Pulls(ctx, good)).To(framework.BePulledOn(nodes.Names()...))
	})

	It("do not keep a job beyond its deadline when they are silent", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 3), f.Image("a")
		silent := nodes.Names()[0]
		nodes.Answer(image, fakenodes.Silent(), silent)

		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image),
			framework.OnFakeNodes(nodes), framework.Parallelism(3), framework.Deadline(5), framework.PullPolicy(5, 0)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonDeadlineExceeded)
		Expect(job).To(framework.HaveRunOutOfTime(image, 1))
		Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(nodes.Names()[1:]...))
	})

	It("are given up by Kruise when they are silent for ten minutes", framework.Slow, func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 2), f.Image("a")
		silent := nodes.Names()[1]
		nodes.Answer(image, fakenodes.Silent(), silent)

		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Parallelism(2)))
		f.Jobs.Eventually(ctx, job).WithTimeout(12 * time.Minute).WithPolling(5 * time.Second).
			Should(framework.HaveFinished(v1alpha1.ReasonImagesFailed))
		Expect(job).To(framework.HaveFailedImage(image, "not responded", silent))
	})

	It("go away in the middle of a job, which then is about the others", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 3), f.Image("a")
		gone := nodes.Names()[0]
		nodes.Answer(image, fakenodes.Hangs(), gone)

		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Parallelism(3)))
		child := f.EventuallyChild(ctx, job, image, HaveField("Status", And(
			HaveField("Desired", BeEquivalentTo(3)), HaveField("Active", BeEquivalentTo(1)), HaveField("Succeeded", BeEquivalentTo(2)))))
		nodes.Remove(ctx, gone)

		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(f.ImagePullJobs.Reload(ctx, child).Status.Desired).To(BeEquivalentTo(2))
	})
})

// Serial: jobs of other specs that have no selector would pull onto all of these nodes too.
var _ = Describe("A hundred nodes", Serial, func() {
	f := framework.New()

	It("are told of in a status that stays small and in order", func(ctx SpecContext) {
		nodes := f.FakeNodes(ctx, 100)
		images := []string{f.Image("a"), f.Image("b"), f.Image("bad"), f.Image("c"), f.Image("d")}
		nodes.Answer(images[2], fakenodes.Fails("unauthorized: authentication required"))
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", images...), framework.OnFakeNodes(nodes), framework.Parallelism(100)))

		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Expect(job).To(framework.HaveCounters(5, 0, 5, 4))
		Expect(job.Status.FailedImagePullJobStatuses).To(HaveLen(1))
		failure := job.Status.FailedImagePullJobStatuses[0]
		Expect(failure.Image).To(Equal(images[2]))
		Expect(failure.Failed).To(BeEquivalentTo(100))
		Expect(failure.FailedNodes).To(Equal(nodes.Names()[:10]))
		Expect(failure.Message).To(Equal("unauthorized: authentication required"))
		status, err := json.Marshal(job.Status)
		Expect(err).NotTo(HaveOccurred())
		Expect(len(status)).To(BeNumerically("<", 4<<10))
		for _, image := range []string{images[0], images[4]} {
			Expect(nodes.Pulls(ctx, image)).To(framework.BePulledOn(nodes.Names()...))
		}
	})
})
