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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("While the webhooks are away", framework.Disruptive, func() {
	f := framework.New()

	// onlyTheWebhooksMind is what the schema cannot see.
	const onlyTheWebhooksMind = `{images: [nginx, "nginx:latest"], selector: {names: [no-such-node]}}`
	create := func(ctx context.Context, spec string, opts ...client.CreateOption) error {
		return f.Create(ctx, framework.Exempt(f.JobFromYAML("job", spec)), opts...)
	}
	var restore func(context.Context)
	BeforeEach(func(ctx SpecContext) {
		restore = f.ExemptFromWebhooks(ctx)
		Eventually(create).WithContext(ctx).WithArguments(onlyTheWebhooksMind, client.DryRunAll).Should(Succeed())
	})

	It("the API server refuses what its schema and its rules in CEL can see", func(ctx SpecContext) {
		for spec, want := range map[string]string{
			`{}`:               "at least one image",
			`{images: [a, a]}`: "spec.images[1]: Duplicate value",
			`{images: [a], selector: {}, podSelector: {}}`:                                                     "mutually exclusive",
			`{images: [a], selector: {names: []}}`:                                                             "spec.selector.names",
			`{images: [a], parallelism: -1}`:                                                                   "spec.parallelism",
			`{images: [a], parallelism: "50%"}`:                                                                "spec.parallelism",
			`{images: [a], imagePullPolicy: Never}`:                                                            "spec.imagePullPolicy",
			`{images: [a], pullSecrets: [s, s]}`:                                                               "spec.pullSecrets[1]: Duplicate value",
			`{images: [a], pullPolicy: {timeoutSeconds: 0}}`:                                                   "spec.pullPolicy.timeoutSeconds",
			`{images: [a], pullPolicy: {backoffLimit: 1001}}`:                                                  "spec.pullPolicy.backoffLimit",
			`{images: [a], completionPolicy: {activeDeadlineSeconds: 60}}`:                                     "must not be less than",
			`{images: [a], completionPolicy: {type: Never, ttlSecondsAfterFinished: 5}}`:                       "does not finish",
			`{imagePullJobTemplate: [{image: a, selector: {}, podSelector: {}}]}`:                              "mutually exclusive",
			`{imagePullJobTemplate: [{image: a, completionPolicy: {ttlSecondsAfterFinished: 5}}]}`:             "belong to the whole job",
			`{images: [a], pullPolicy: {timeoutSeconds: 601}, completionPolicy: {activeDeadlineSeconds: 600}}`: "must not be less than",
		} {
			err := create(ctx, spec, client.DryRunAll)
			Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%s: %v", spec, err)
			Expect(err).To(MatchError(ContainSubstring(want)), spec)
		}
	})

	It("jobs can be stored that the webhooks then let live and go (case 23)", func(ctx SpecContext) {
		Expect(create(ctx, onlyTheWebhooksMind)).To(Succeed())
		restore(ctx)
		Eventually(create).WithContext(ctx).WithArguments(onlyTheWebhooksMind, client.DryRunAll).Should(WithTransform(apierrors.IsInvalid, BeTrue()))

		job := &v1alpha1.ImageListPullJob{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: "job"}}
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonNoNodesMatched)
		Expect(job).To(framework.HaveCounters(1, 0, 1, 1))
		livesAndGoes(ctx, f, job)
	})

	DescribeTable("and the schema is another, jobs can be stored that today's then lets live and go (case 23)",
		func(ctx SpecContext, spec string) {
			restoreSchema := f.OpenSchema(ctx)
			Eventually(create).WithContext(ctx).WithArguments(spec, client.DryRunAll).Should(Succeed())
			Expect(create(ctx, spec)).To(Succeed())
			restoreSchema(ctx)
			Eventually(create).WithContext(ctx).WithArguments(spec, client.DryRunAll).Should(WithTransform(apierrors.IsInvalid, BeTrue()))
			restore(ctx)
			Eventually(create).WithContext(ctx).WithArguments(onlyTheWebhooksMind, client.DryRunAll).Should(WithTransform(apierrors.IsInvalid, BeTrue()))

			job := &v1alpha1.ImageListPullJob{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: "job"}}
			f.Jobs.Eventually(ctx, job).Should(framework.HaveObserved())
			livesAndGoes(ctx, f, job)
		},
		Entry("with a deadline that is too short", `{images: [a], selector: {names: [no-such-node]}, completionPolicy: {activeDeadlineSeconds: 60}}`),
		Entry("with both selectors", `{images: [a], selector: {names: [no-such-node]}, podSelector: {}}`),
		Entry("without images", `{parallelism: 1}`),
		Entry("with a TTL that never counts", `{images: [a], selector: {names: [no-such-node]}, completionPolicy: {type: Never, ttlSecondsAfterFinished: 5}}`),
		Entry("with values out of range", `{images: [a], selector: {names: [no-such-node]}, parallelism: "50%", imagePullPolicy: Foo, pullSecrets: [""],
			pullPolicy: {timeoutSeconds: -5, backoffLimit: -1}}`),
	)
})

// livesAndGoes does with a stored job what must work whatever its spec holds; only an edit of that is judged.
func livesAndGoes(ctx SpecContext, f *framework.Framework, job listJob) {
	GinkgoHelper()
	DeferCleanup(f.Jobs.Release, job)
	f.Jobs.Update(ctx, job, func(job listJob) {
		metav1.SetMetaDataLabel(&job.ObjectMeta, "team", "web")
		job.Finalizers = []string{held}
	})
	edited := job.DeepCopy()
	edited.Spec.Images = append(edited.Spec.Images, "No Reference")
	err := f.Patch(ctx, edited, client.MergeFrom(job))
	Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
	f.Jobs.Delete(ctx, job)
	f.Jobs.Release(ctx, job)
	f.Jobs.EventuallyGone(ctx, job)
}
