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
	"strings"

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

	DescribeTable("the API server refuses by its schema, and by its rules in CEL,",
		func(ctx SpecContext, spec string, want ...string) {
			err := create(ctx, spec, client.DryRunAll)
			Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
			for _, part := range want {
				Expect(err).To(MatchError(ContainSubstring(part)))
			}
		},
		Entry("no images", `{}`, "at least one image"),
		Entry("lists in which something is there twice",
			`{images: [a, a], pullSecrets: [s, s], imagePullJobTemplate: [{image: a}, {image: a}], selector: {names: [n, n]}}`,
			"spec.images[1]: Duplicate value", "spec.pullSecrets[1]: Duplicate value",
			"spec.imagePullJobTemplate[1]: Duplicate value", "spec.selector.names[1]: Duplicate value"),
		Entry("lists that are too long", `{images: [`+strings.Join(each("i%d", 256), ", ")+`], pullSecrets: [`+strings.Join(each("s%d", 65), ", ")+`],
			imagePullJobTemplate: [`+strings.Join(each("{image: o%d}", 256), ", ")+`], selector: {names: [`+strings.Join(each("n%d", 5001), ", ")+`],
			matchExpressions: [`+strings.Join(each("{key: k%d, operator: Exists}", 65), ", ")+`]}}`,
			"spec.images: Too many", "spec.pullSecrets: Too many", "spec.imagePullJobTemplate: Too many",
			"spec.selector.names: Too many", "spec.selector.matchExpressions: Too many"),
		Entry("maps that are too large", `{images: [a], sandboxConfig: {labels: {`+strings.Join(each("k%d: v", 65), ", ")+`},
			annotations: {`+strings.Join(each("k%d: v", 65), ", ")+`}}, podSelector: {matchLabels: {`+strings.Join(each("k%d: v", 65), ", ")+`}}}`,
			"spec.sandboxConfig.labels: Too many", "spec.sandboxConfig.annotations: Too many", "spec.podSelector.matchLabels: Too many"),
		Entry("strings that are empty", `{images: [""], pullSecrets: [""], selector: {names: [""]}, imagePullJobTemplate: [{image: ""}]}`,
			"spec.images[0]", "spec.pullSecrets[0]", "spec.selector.names[0]", "spec.imagePullJobTemplate[0].image"),
		Entry("strings that are too long", `{images: [`+strings.Repeat("i", 513)+`], pullSecrets: [`+strings.Repeat("s", 254)+`],
			selector: {names: [`+strings.Repeat("n", 254)+`], matchLabels: {a: `+strings.Repeat("l", 64)+`}}, sandboxConfig: {labels: {a: `+strings.Repeat("v", 4097)+`}}}`,
			"spec.images[0]: Too long", "spec.pullSecrets[0]: Too long", "spec.selector.names[0]: Too long",
			"spec.selector.matchLabels.a: Too long", "spec.sandboxConfig.labels.a: Too long"),
		Entry("what is none of an enumeration", `{images: [a], imagePullPolicy: Never, completionPolicy: {type: Sometimes},
			selector: {matchExpressions: [{key: a, operator: Is}]}}`,
			"spec.imagePullPolicy: Unsupported", "spec.completionPolicy.type: Unsupported", "spec.selector.matchExpressions[0].operator: Unsupported"),
		Entry("numbers below their range", `{images: [a], maxConcurrentImages: 0, parallelism: -1, pullPolicy: {timeoutSeconds: 0, backoffLimit: -1},
			completionPolicy: {activeDeadlineSeconds: 0, ttlSecondsAfterFinished: -1}}`,
			"spec.maxConcurrentImages", "spec.parallelism", "spec.pullPolicy.timeoutSeconds", "spec.pullPolicy.backoffLimit",
			"spec.completionPolicy.activeDeadlineSeconds", "spec.completionPolicy.ttlSecondsAfterFinished"),
		Entry("numbers above their range", `{images: [a], maxConcurrentImages: 256, parallelism: 2147483648, pullPolicy: {timeoutSeconds: 86401, backoffLimit: 1001},
			completionPolicy: {activeDeadlineSeconds: 2147483648, ttlSecondsAfterFinished: 2147483648}}`,
			"spec.maxConcurrentImages", "spec.parallelism", "spec.pullPolicy.timeoutSeconds", "spec.pullPolicy.backoffLimit",
			"spec.completionPolicy.activeDeadlineSeconds", "spec.completionPolicy.ttlSecondsAfterFinished"),
		Entry("a percentage", `{images: [a], parallelism: "50%"}`, "spec.parallelism"),
		Entry("what lacks a required field", `{images: [a], podSelector: {matchExpressions: [{operator: Exists}, {key: a}]}, imagePullJobTemplate: [{parallelism: 1}]}`,
			"spec.podSelector.matchExpressions[0].key", "spec.podSelector.matchExpressions[1].operator", "spec.imagePullJobTemplate[0].image"),
		Entry("no node names", `{images: [a], selector: {names: []}}`, "spec.selector.names"),
		Entry("both selectors", `{images: [a], selector: {}, podSelector: {}}`, "mutually exclusive"),
		Entry("both selectors for one image", `{imagePullJobTemplate: [{image: a, selector: {}, podSelector: {}}]}`, "mutually exclusive"),
		Entry("a deadline below the default time-out", `{images: [a], completionPolicy: {activeDeadlineSeconds: 60}}`, "must not be less than"),
		Entry("a deadline below the time-out", `{images: [a], pullPolicy: {timeoutSeconds: 601}, completionPolicy: {activeDeadlineSeconds: 600}}`, "must not be less than"),
		Entry("a TTL that never counts", `{images: [a], completionPolicy: {type: Never, ttlSecondsAfterFinished: 5}}`, "does not finish"),
		Entry("a deadline that never counts", `{images: [a], completionPolicy: {type: Never, activeDeadlineSeconds: 900}}`, "does not finish"),
		Entry("a TTL for one image", `{imagePullJobTemplate: [{image: a, completionPolicy: {ttlSecondsAfterFinished: 5}}]}`, "belong to the whole job"),
		Entry("a type for one image", `{imagePullJobTemplate: [{image: a, completionPolicy: {type: Never}}]}`, "belong to the whole job"),
	)

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
