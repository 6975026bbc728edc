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
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("Validation", func() {
	f := framework.NewForReading()

	DescribeTable("refuses with one answer that names every field",
		func(ctx SpecContext, spec string, want ...string) {
			err := f.Create(ctx, f.JobFromYAML("job", spec), client.DryRunAll)
			Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
			Expect(err).To(MatchError(ContainSubstring("admission webhook")), "the schema blames the same fields")
			Expect(fieldsOf(err)).To(Equal(want), "%v", err)
		},
		Entry("no images", `{parallelism: 1}`, "spec.images"),
		Entry("images that are none", `{images: ["", "https://example.com/nginx", " nginx", Nginx, "nginx:"]}`,
			"spec.images[0]", "spec.images[1]", "spec.images[2]", "spec.images[3]", "spec.images[4]"),
		Entry("a reference that is too long", `{images: ["`+strings.Repeat("a/", 300)+`b"]}`, "spec.images[0]"),
		Entry("one image in many spellings (case 11)",
			`{images: [nginx, "docker.io/library/nginx:latest", index.docker.io/nginx, "a@`+digest+`", "a:1@`+digest+`"]}`,
			"spec.images[1]", "spec.images[2]", "spec.images[4]"),
		Entry("an override in another spelling, and one too many", `{images: [a], imagePullJobTemplate: [{image: "a:latest"}, {image: b}, {image: "b:latest"}]}`,
			"spec.imagePullJobTemplate[0].image", "spec.imagePullJobTemplate[2].image"),
		Entry("too many images", `{images: [`+strings.Join(each("a-%d", 256), ", ")+`]}`, "spec.images"),
		Entry("too many images after merging", `{images: [`+strings.Join(each("a-%d", 255), ", ")+`], imagePullJobTemplate: [{image: b}]}`, "spec.images"),
		Entry("too many overrides", `{images: [a], imagePullJobTemplate: [`+strings.Join(each("{image: a-%d}", 256), ", ")+`]}`,
			"spec.imagePullJobTemplate"),
		Entry("pull secrets (case 12)", `{images: [a], pullSecrets: ["", a, a, Upper]}`, "spec.pullSecrets[0]", "spec.pullSecrets[2]", "spec.pullSecrets[3]"),
		Entry("parallelism", `{images: [a, b, c], parallelism: -3, imagePullJobTemplate: [{image: a, parallelism: "50%"}, {image: b, parallelism: ""}]}`,
			"spec.imagePullJobTemplate[0].parallelism", "spec.imagePullJobTemplate[1].parallelism", "spec.parallelism"),
		Entry("time-out and back-off", `{images: [a], pullPolicy: {timeoutSeconds: 0, backoffLimit: -1},
			imagePullJobTemplate: [{image: a, pullPolicy: {timeoutSeconds: 86401, backoffLimit: 1001}}]}`,
			"spec.imagePullJobTemplate[0].pullPolicy.backoffLimit", "spec.imagePullJobTemplate[0].pullPolicy.timeoutSeconds",
			"spec.pullPolicy.backoffLimit", "spec.pullPolicy.timeoutSeconds"),
		Entry("what an override gets wrong", `{images: [a], imagePullJobTemplate: [{image: a, pullSecrets: [a, a], imagePullPolicy: Never,
			selector: {names: [""]}, sandboxConfig: {labels: {a: `+strings.Repeat("a", 4097)+`}}}]}`,
			"spec.imagePullJobTemplate[0].imagePullPolicy", "spec.imagePullJobTemplate[0].pullSecrets[1]",
			"spec.imagePullJobTemplate[0].sandboxConfig.labels[a]", "spec.imagePullJobTemplate[0].selector.names[0]"),
		Entry("numbers that are not whole, or none", `{images: [a], parallelism: 3000000000, pullPolicy: {timeoutSeconds: 1.5, backoffLimit: true}}`,
			"spec.parallelism", "spec.pullPolicy.backoffLimit", "spec.pullPolicy.timeoutSeconds"),
		Entry("enumerations", `{images: [a], imagePullPolicy: Never, completionPolicy: {type: Sometimes}}`,
			"spec.completionPolicy.type", "spec.imagePullPolicy"),
		Entry("both selectors", `{images: [a], selector: {}, podSelector: {}}`, "spec.podSelector"),
		Entry("both selectors for one image", `{images: [a], imagePullJobTemplate: [{image: a, selector: {names: [n1]}, podSelector: {}}]}`,
			"spec.imagePullJobTemplate[0].podSelector"),
		Entry("no node names", `{images: [a], selector: {names: []}}`, "spec.selector.names"),
		Entry("node names beside labels", `{images: [a], selector: {names: [n1], matchLabels: {a: b}}}`, "spec.selector.names"),
		Entry("node names that are none", `{images: [a], selector: {names: [n1, "", n1, N_2]}}`,
			"spec.selector.names[1]", "spec.selector.names[2]", "spec.selector.names[3]"),
		Entry("labels and expressions that are none", `{images: [a], podSelector: {matchLabels: {d: "e f"}, matchExpressions: [
			{key: a, operator: In}, {key: b, operator: Exists, values: [c]}, {key: d, operator: Is, values: [e]}, {key: "f g", operator: Exists}]}}`,
			"spec.podSelector.matchExpressions[0].values", "spec.podSelector.matchExpressions[1].values",
			"spec.podSelector.matchExpressions[2].operator", "spec.podSelector.matchExpressions[3].key", "spec.podSelector.matchLabels[d]"),
		Entry("too many secrets, and sandbox entries", `{images: [a], pullSecrets: [`+strings.Join(each("s-%d", 65), ", ")+`],
			sandboxConfig: {labels: {`+strings.Join(each("a-%d: b", 65), ", ")+`}, annotations: {`+strings.Join(each("a-%d: b", 65), ", ")+`}}}`,
			"spec.pullSecrets", "spec.sandboxConfig.annotations", "spec.sandboxConfig.labels"),
		Entry("too many node names", `{images: [a], selector: {names: [`+strings.Join(each("n-%d", 5001), ", ")+`]}}`, "spec.selector.names"),
		Entry("too many labels and expressions", `{images: [a], podSelector: {matchLabels: {`+strings.Join(each("a-%d: b", 65), ", ")+`},
			matchExpressions: [`+strings.Join(each("{key: a-%d, operator: Exists}", 65), ", ")+`]}}`,
			"spec.podSelector.matchExpressions", "spec.podSelector.matchLabels"),
		Entry("too many values of an expression", `{images: [a], selector: {matchExpressions: [
			{key: a, operator: In, values: [`+strings.Join(each("v-%d", 65), ", ")+`]}]}}`, "spec.selector.matchExpressions[0].values"),
		Entry("further labels and expressions that are none", `{images: [a], selector: {matchLabels: {"a b": c}, matchExpressions: [
			{key: a, operator: In, values: ["b c"]}, {key: b, operator: NotIn}, {key: c, operator: DoesNotExist, values: [d]}]}}`,
			"spec.selector.matchExpressions[0].values[0]", "spec.selector.matchExpressions[1].values",
			"spec.selector.matchExpressions[2].values", "spec.selector.matchLabels[a b]"),
		Entry("a deadline below the default time-out (case 5)", `{images: [a], completionPolicy: {activeDeadlineSeconds: 60}}`,
			"spec.completionPolicy.activeDeadlineSeconds"),
		Entry("a time-out of one image above the deadline (case 5)",
			`{images: [a], completionPolicy: {activeDeadlineSeconds: 900}, imagePullJobTemplate: [{image: a, pullPolicy: {timeoutSeconds: 901}}]}`,
			"spec.imagePullJobTemplate[0].pullPolicy.timeoutSeconds"),
		Entry("a deadline of one image above that of the job",
			`{images: [a], completionPolicy: {activeDeadlineSeconds: 900}, imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 901}}]}`,
			"spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds"),
		Entry("a deadline of one image below its own time-out", `{images: [a], imagePullJobTemplate: [
			{image: a, pullPolicy: {timeoutSeconds: 30}, completionPolicy: {activeDeadlineSeconds: 29}}]}`,
			"spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds"),
		Entry("a deadline of one image, in a job that has no end",
			`{images: [a], completionPolicy: {type: Never}, imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 600}}]}`,
			"spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds"),
		Entry("what belongs to the whole job, for one image",
			`{images: [a], imagePullJobTemplate: [{image: a, completionPolicy: {type: Always, ttlSecondsAfterFinished: 5}}]}`,
			"spec.imagePullJobTemplate[0].completionPolicy.ttlSecondsAfterFinished", "spec.imagePullJobTemplate[0].completionPolicy.type"),
		Entry("what needs an end, in a job that has none",
			`{images: [a], maxConcurrentImages: 1, completionPolicy: {type: Never, activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 1}}`,
			"spec.completionPolicy.activeDeadlineSeconds", "spec.completionPolicy.ttlSecondsAfterFinished", "spec.maxConcurrentImages"),
		Entry("numbers out of range", `{images: [a], maxConcurrentImages: 256, completionPolicy: {activeDeadlineSeconds: 0, ttlSecondsAfterFinished: -1}}`,
			"spec.completionPolicy.activeDeadlineSeconds", "spec.completionPolicy.ttlSecondsAfterFinished", "spec.maxConcurrentImages"),
		Entry("numbers out of range on the other side", `{images: [a], maxConcurrentImages: 0, completionPolicy: {activeDeadlineSeconds: 2147483648},
			imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 0}}]}`,
			"spec.completionPolicy.activeDeadlineSeconds", "spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds", "spec.maxConcurrentImages"),
		Entry("values of a wrong type, beside others that are wrong",
			`{images: nginx, pullSecrets: [1], parallelism: -1}`, "spec.images", "spec.parallelism", "spec.pullSecrets[0]"),
		Entry("a sandbox configuration that is too large", `{images: [a], sandboxConfig: {annotations: {a: `+strings.Repeat("a", 4097)+`}}}`,
			"spec.sandboxConfig.annotations[a]"),
	)

	It("says how many errors there are beside the first hundred", func(ctx SpecContext) {
		err := f.Create(ctx, f.JobFromYAML("job", `{images: [`+strings.Join(each("A-%d", 150), ", ")+`]}`), client.DryRunAll)
		Expect(fieldsOf(err)).To(HaveLen(101))
		Expect(err).To(MatchError(ContainSubstring("at least 50 errors more")))
	})

	It("does not repeat a login that stands in a reference", func(ctx SpecContext) {
		err := f.Create(ctx, f.JobFromYAML("job", `{images: ["https://robot:hunter2@registry.example/nginx:1"]}`), client.DryRunAll)
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err).To(MatchError(And(ContainSubstring("spec.images[0]"), Not(ContainSubstring("hunter2")))))
	})
})

var _ = Describe("Validation of edits", func() {
	f := framework.New()

	It("refuses an edit as it refuses a new job, and leaves the stored one as it is", func(ctx SpecContext) {
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", f.Image("a")), framework.OnNodes("no-such-node")))
		before := job.Spec.DeepCopy()
		patch := client.MergeFrom(job.DeepCopy())
		job.Spec.Images = []string{"nginx", "nginx:latest"}
		job.Spec.PullSecrets = []string{""}
		err := f.Patch(ctx, job, patch)
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(fieldsOf(err)).To(Equal([]string{"spec.images[1]", "spec.pullSecrets[0]"}))
		Expect(f.Jobs.Reload(ctx, job).Spec).To(Equal(*before))
	})

	It("lets finalizers and labels come and go", func(ctx SpecContext) {
		job := f.NewJob("job", f.Image("a"))
		job.Finalizers = []string{held}
		DeferCleanup(f.Jobs.Release, job)
		f.Jobs.Create(ctx, framework.With(job, framework.OnNodes("no-such-node")))
		f.Jobs.Update(ctx, job, func(job listJob) { metav1.SetMetaDataLabel(&job.ObjectMeta, "team", "web") })
		f.Jobs.Delete(ctx, job)
		Expect(f.Jobs.Reload(ctx, job).DeletionTimestamp).NotTo(BeNil())
		f.Jobs.Release(ctx, job)
		f.Jobs.EventuallyGone(ctx, job)
	})
})

// fieldsOf returns the fields that an answer of the API server blames, sorted.
func fieldsOf(err error) []string {
	GinkgoHelper()
	status, ok := err.(apierrors.APIStatus)
	Expect(ok).To(BeTrue(), "%v", err)
	details := status.Status().Details
	Expect(details).NotTo(BeNil(), "%v", err)
	var fields []string
	for _, cause := range details.Causes {
		fields = append(fields, cause.Field)
	}
	slices.Sort(fields)
	return fields
}

// each returns the format with each of the numbers below n in it.
func each(format string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return all
}
