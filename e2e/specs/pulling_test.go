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
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

const missing = "does-not-exist:1"

var _ = Describe("ImageListPullJob", func() {
	f := framework.New()

	It("pulls every image of the sample onto every node", framework.Smoke, func(ctx SpecContext) {
		raw, err := os.ReadFile("../../config/samples/imagelistpulljob.yaml")
		Expect(err).NotTo(HaveOccurred())
		job := &v1alpha1.ImageListPullJob{}
		Expect(yaml.UnmarshalStrict(raw, job)).To(Succeed())
		job.Namespace = f.Namespace
		f.Jobs.Create(ctx, job)

		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job.Status.Status).To(Equal("3/3"))
		for _, image := range job.Spec.Images { // other specs use them too, and may just have asked for one again
			f.NodeImages.EventuallyPulled(ctx, image, f.NodeNames(ctx)...)
		}
	})

	It("tells which image failed, where and why", framework.Smoke, framework.NeedsRegistry, func(ctx SpecContext) {
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", "nginx", missing, "busybox:1.35"), framework.PullPolicy(30, 1)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Expect(job.Status.Status).To(Equal("2/3"))
		Expect(job).To(framework.HaveCondition(v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonImagesFailed))
		Expect(job.Status.FailedImagePullJobStatuses).To(HaveLen(1))
		Expect(job).To(framework.HaveFailedImage(missing, "not found", f.NodeNames(ctx)...))
	})

	It("deletes a finished job, and its children, when the TTL has passed", framework.Smoke, func(ctx SpecContext) {
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", "nginx"), framework.TTL(3)))
		Eventually(f.Children).WithContext(ctx).Should(framework.BeForImages("nginx"))
		f.Jobs.EventuallyGone(ctx, job)
		Eventually(f.Children).WithContext(ctx).Should(BeEmpty())
	})

	It("follows images that are removed and added while it is there", framework.Smoke, func(ctx SpecContext) {
		job := f.Jobs.Create(ctx, f.NewJob("job", "nginx", "busybox:1.35"))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		before, err := f.Children(ctx)
		Expect(err).NotTo(HaveOccurred())

		f.Jobs.Update(ctx, job, func(job listJob) { job.Spec.Images = []string{"nginx", "httpd:2.4.38"} })
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job.Status.Status).To(Equal("2/2"))
		after, err := f.Children(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(framework.BeForImages("nginx", "httpd:2.4.38"))
		Expect(after["nginx"].UID).To(Equal(before["nginx"].UID), "an image that stays is not pulled again")
		f.NodeImages.EventuallyPulled(ctx, "httpd:2.4.38", f.NodeNames(ctx)...)

		f.Jobs.Update(ctx, job, func(job listJob) { job.Spec.Images = []string{"busybox:1.35", "nginx", "httpd:2.4.38"} })
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(job.Status.Status).To(Equal("3/3"))
		Expect(f.Children(ctx)).To(framework.BeForImages(job.Spec.Images...))
	})

	It("may have a name as long as names can be (case 17)", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		job := f.Jobs.Create(ctx, framework.With(f.NewJob(strings.Repeat("a-name.", 36)+"z", image), framework.OnFakeNodes(nodes)))
		Expect(job.Name).To(HaveLen(253))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Eventually(f.Events).WithContext(ctx).WithArguments(job).Should(ContainElement(HavePrefix("Normal Completed: ")))
	})

	It("hands sandboxConfig to the nodes", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		job := framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes))
		job.Spec.SandboxConfig = &v1alpha1.SandboxConfig{
			Labels:      map[string]v1alpha1.SandboxConfigValue{"team": "web"},
			Annotations: map[string]v1alpha1.SandboxConfigValue{"example.com/why": "a release, at last"},
		}
		f.Jobs.Create(ctx, job)
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)

		want := &kruisev1alpha1.SandboxConfig{
			Labels:      map[string]string{"team": "web"},
			Annotations: map[string]string{"example.com/why": "a release, at last"},
		}
		f.EventuallyChild(ctx, job, image, HaveField("Spec.SandboxConfig", want))
		asked := f.NodeImages.Reload(ctx, &kruisev1alpha1.NodeImage{ObjectMeta: metav1.ObjectMeta{Name: nodes.Names()[0]}})
		Expect(asked.Spec.Images).To(HaveKeyWithValue(strings.TrimSuffix(image, ":1"), HaveField("SandboxConfig", want)))
	})
})
