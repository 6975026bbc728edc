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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("Defaulting", func() {
	f := framework.NewForReading()

	It("fills in what a user leaves out, and nothing for single images", func(ctx SpecContext) {
		job := f.NewJob("job", "nginx:1")
		job.Spec.Selector = nil
		job.Spec.ImageOverrides = []v1alpha1.ImageOverride{{Image: "busybox:1.35"}}
		want := job.Spec.DeepCopy()
		want.CompletionPolicy = &v1alpha1.CompletionPolicy{Type: v1alpha1.Always}
		want.PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: ptr.To[int32](600), BackoffLimit: ptr.To[int32](3)}
		want.ImagePullPolicy = v1alpha1.PullIfNotPresent

		Expect(f.Create(ctx, job, client.DryRunAll)).To(Succeed())
		Expect(job.Spec).To(Equal(*want))
		job.ResourceVersion = ""
		Expect(f.Create(ctx, job, client.DryRunAll)).To(Succeed())
		Expect(job.Spec).To(Equal(*want), "defaulting twice changes nothing")
	})

	DescribeTable("leaves what a user says of an object, and fills in the rest",
		func(ctx SpecContext, spec string, pullPolicy v1alpha1.PullPolicy, completion v1alpha1.CompletionPolicy, policy v1alpha1.ImagePullPolicy) {
			raw := f.JobFromYAML("job", spec)
			Expect(f.Create(ctx, raw, client.DryRunAll)).To(Succeed())
			job := &v1alpha1.ImageListPullJob{}
			Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(raw.Object, job)).To(Succeed())
			Expect(job.Spec.PullPolicy).To(HaveValue(Equal(pullPolicy)))
			Expect(job.Spec.CompletionPolicy).To(HaveValue(Equal(completion)))
			Expect(job.Spec.ImagePullPolicy).To(Equal(policy))
		},
		Entry("a time-out", `{images: ["a:1"], pullPolicy: {timeoutSeconds: 30}}`,
			v1alpha1.PullPolicy{TimeoutSeconds: ptr.To[int32](30), BackoffLimit: ptr.To[int32](3)},
			v1alpha1.CompletionPolicy{Type: v1alpha1.Always}, v1alpha1.PullIfNotPresent),
		Entry("no back-off, a TTL and Always", `{images: ["a:1"], pullPolicy: {backoffLimit: 0}, completionPolicy: {ttlSecondsAfterFinished: 5}, imagePullPolicy: Always}`,
			v1alpha1.PullPolicy{TimeoutSeconds: ptr.To[int32](600), BackoffLimit: ptr.To[int32](0)},
			v1alpha1.CompletionPolicy{Type: v1alpha1.Always, TTLSecondsAfterFinished: ptr.To[int32](5)}, v1alpha1.PullAlways),
		Entry("Never", `{images: ["a:1"], completionPolicy: {type: Never}}`,
			v1alpha1.PullPolicy{TimeoutSeconds: ptr.To[int32](600), BackoffLimit: ptr.To[int32](3)},
			v1alpha1.CompletionPolicy{Type: v1alpha1.Never}, v1alpha1.PullIfNotPresent),
	)
})

var _ = Describe("Defaulting of edits", func() {
	f := framework.New()

	It("fills in again what an edit takes out", func(ctx SpecContext) {
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", f.Image("a")), framework.OnNodes("no-such-node"), framework.PullPolicy(30, 1)))
		f.Jobs.Update(ctx, job, func(job listJob) {
			job.Spec.PullPolicy = nil
			job.Spec.CompletionPolicy = nil
			job.Spec.ImagePullPolicy = ""
		})
		Expect(job.Spec.PullPolicy).To(Equal(&v1alpha1.PullPolicy{TimeoutSeconds: ptr.To[int32](600), BackoffLimit: ptr.To[int32](3)}))
		Expect(job.Spec.CompletionPolicy).To(Equal(&v1alpha1.CompletionPolicy{Type: v1alpha1.Always}))
		Expect(job.Spec.ImagePullPolicy).To(Equal(v1alpha1.PullIfNotPresent))
	})
})
