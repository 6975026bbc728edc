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

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
		Expect(f.Create(ctx, job)).To(Succeed())

		Eventually(framework.Reload[*v1alpha1.ImageListPullJob]).WithContext(ctx).WithArguments(f, job).
			Should(framework.HaveFinished(v1alpha1.ReasonAllImagesPulled))
		Expect(job.Status.Status).To(Equal("3/3"))
		Expect(job.Status.ObservedGeneration).To(Equal(job.Generation))
		for _, image := range job.Spec.Images { // other specs use them too, and may just have asked for one again
			f.NodeImages.EventuallyPulled(ctx, image, f.NodeNames(ctx)...)
		}
	})

	It("tells which image failed, where and why", framework.Smoke, func(ctx SpecContext) {
		job := f.NewJob("job", "nginx", missing, "busybox:1.35")
		job.Spec.PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: ptr.To[int32](30), BackoffLimit: ptr.To[int32](1)}
		Expect(f.Create(ctx, job)).To(Succeed())

		Eventually(framework.Reload[*v1alpha1.ImageListPullJob]).WithContext(ctx).WithArguments(f, job).
			Should(framework.HaveFinished(v1alpha1.ReasonImagesFailed))
		Expect(job.Status.Status).To(Equal("2/3"))
		Expect(meta.IsStatusConditionTrue(job.Status.Conditions, v1alpha1.ConditionFailed)).To(BeTrue())
		Expect(job.Status.FailedImagePullJobStatuses).To(HaveLen(1))
		failure := job.Status.FailedImagePullJobStatuses[0]
		Expect(failure.Image).To(Equal(missing))
		Expect(failure.FailedNodes).To(Equal(f.NodeNames(ctx)))
		Expect(failure.Failed).To(BeEquivalentTo(len(failure.FailedNodes)))
		Expect(failure.Message).To(ContainSubstring("not found"))
	})

	It("deletes a finished job, and its children, when the TTL has passed", framework.Smoke, func(ctx SpecContext) {
		job := f.NewJob("job", "nginx")
		job.Spec.CompletionPolicy = &v1alpha1.CompletionPolicy{TTLSecondsAfterFinished: ptr.To[int32](3)}
		Expect(f.Create(ctx, job)).To(Succeed())
		Eventually(f.Children).WithContext(ctx).Should(HaveLen(1))

		Eventually(func() bool {
			return apierrors.IsNotFound(f.Get(ctx, client.ObjectKeyFromObject(job), job))
		}).Should(BeTrue())
		Eventually(f.Children).WithContext(ctx).Should(BeEmpty())
	})

	It("follows images that are removed and added while it is there", framework.Smoke, func(ctx SpecContext) {
		job := f.NewJob("job", "nginx", "busybox:1.35")
		Expect(f.Create(ctx, job)).To(Succeed())
		Eventually(framework.Reload[*v1alpha1.ImageListPullJob]).WithContext(ctx).WithArguments(f, job).
			Should(framework.HaveFinished(v1alpha1.ReasonAllImagesPulled))
		before, err := f.Children(ctx)
		Expect(err).NotTo(HaveOccurred())

		setImages := func(images ...string) {
			GinkgoHelper()
			patch := client.MergeFrom(job.DeepCopy())
			job.Spec.Images = images
			Expect(f.Patch(ctx, job, patch)).To(Succeed())
			Eventually(framework.Reload[*v1alpha1.ImageListPullJob]).WithContext(ctx).WithArguments(f, job).
				Should(HaveField("Status.ObservedGeneration", job.Generation))
			Eventually(framework.Reload[*v1alpha1.ImageListPullJob]).WithContext(ctx).WithArguments(f, job).
				Should(framework.HaveFinished(v1alpha1.ReasonAllImagesPulled))
		}
		setImages("nginx", "httpd:2.4.38")
		Expect(job.Status.Status).To(Equal("2/2"))
		after, err := f.Children(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(And(HaveLen(2), HaveKey("nginx"), HaveKey("httpd:2.4.38")))
		Expect(after["nginx"].UID).To(Equal(before["nginx"].UID), "an image that stays is not pulled again")
		f.NodeImages.EventuallyPulled(ctx, "httpd:2.4.38", f.NodeNames(ctx)...)

		setImages("busybox:1.35", "nginx", "httpd:2.4.38")
		Expect(job.Status.Status).To(Equal("3/3"))
		Expect(f.Children(ctx)).To(HaveLen(3))
	})
})
