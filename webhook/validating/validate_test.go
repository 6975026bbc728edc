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

package validating

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// rule is a spec as a user writes it, and what validation must say of it.
type rule struct {
	spec string
	// want is a line "path type" for each error, in order; none for a valid spec.
	want []string
	// wantText must be found among the messages.
	wantText []string
}

// checkRules runs a table of rules.
func checkRules(t *testing.T, rules map[string]rule) {
	t.Helper()
	for name, r := range rules {
		t.Run(name, func(t *testing.T) {
			job := jobOf(t, r.spec)
			before := job.DeepCopy()
			errs := Validate(job)
			if diff := cmp.Diff(r.want, lines(errs)); diff != "" {
				t.Errorf("errors (-want +got):\n%s\n%v", diff, errs)
			}
			for _, text := range r.wantText {
				if !strings.Contains(fmt.Sprint(errs), text) {
					t.Errorf("no error says %q: %v", text, errs)
				}
			}
			if diff := cmp.Diff(before, job); diff != "" {
				t.Errorf("the job was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func jobOf(t testing.TB, spec string) *v1alpha1.ImageListPullJob {
	t.Helper()
	job := &v1alpha1.ImageListPullJob{}
	if err := yaml.Unmarshal([]byte(spec), &job.Spec); err != nil {
		t.Fatal(err)
	}
	return job
}

func lines(errs field.ErrorList) []string {
	var all []string
	for _, err := range errs {
		all = append(all, err.Field+" "+strings.TrimPrefix(string(err.Type), "FieldValue"))
	}
	return all
}

func TestValidateAllAtOnce(t *testing.T) {
	checkRules(t, map[string]rule{
		"the sample": {spec: `{images: [nginx, "busybox:1.35", "httpd:2.4.38"], completionPolicy: {type: Always}}`},
		"nothing":    {spec: `{}`, want: []string{"spec.images Required"}, wantText: []string{"at least one image"}},
		"case 12: every number, name and enum wrong in one object": {
			spec: `{images: [nginx], completionPolicy: {ttlSecondsAfterFinished: -1}, pullPolicy: {timeoutSeconds: -5, backoffLimit: -1},
				parallelism: -3, imagePullPolicy: Foo, pullSecrets: ["", a, a], imagePullJobTemplate: [{image: nginx, parallelism: "50%"}]}`,
			want: []string{
				"spec.pullSecrets[0] Required",
				"spec.pullSecrets[2] Duplicate",
				"spec.parallelism Invalid",
				"spec.pullPolicy.timeoutSeconds Invalid",
				"spec.pullPolicy.backoffLimit Invalid",
				"spec.imagePullPolicy NotSupported",
				"spec.completionPolicy.ttlSecondsAfterFinished Invalid",
				"spec.imagePullJobTemplate[0].parallelism Invalid",
			},
			wantText: []string{"percentages are not supported", `"Always", "IfNotPresent"`},
		},
		"everything set, and valid": {spec: `{
			images: [nginx, "registry.example:5000/a/b:v1"], maxConcurrentImages: 255, pullSecrets: [a, b.c], parallelism: "5",
			selector: {matchLabels: {a.example/b: c, d: ""}, matchExpressions: [{key: e, operator: In, values: [f]}, {key: g, operator: Exists}]},
			pullPolicy: {timeoutSeconds: 86400, backoffLimit: 1000}, imagePullPolicy: Always, sandboxConfig: {labels: {a: b}, annotations: {c: d}},
			completionPolicy: {type: Always, activeDeadlineSeconds: 2147483647, ttlSecondsAfterFinished: 0},
			imagePullJobTemplate: [{image: nginx, podSelector: {}, completionPolicy: {activeDeadlineSeconds: 86400}}, {image: other, selector: {names: [n1]}}]}`},
	})
}

func TestValidateSaysHowToMend(t *testing.T) {
	errs := Validate(jobOf(t, `{images: [a, a, "", ":"], maxConcurrentImages: 0, parallelism: x, selector: {names: []}, podSelector: {},
		completionPolicy: {type: Sometimes, activeDeadlineSeconds: 0}, imagePullJobTemplate: [{image: b, completionPolicy: {type: Never}}]}`))
	for _, err := range errs {
		if err.Detail == "" {
			t.Errorf("no mend: %v", err)
		}
	}
}

func TestValidateBoundsWhatItRepeats(t *testing.T) {
	long := strings.Repeat("X", 900)
	errs := Validate(jobOf(t, fmt.Sprintf(`{images: ["%[1]s"], parallelism: "%[1]s", imagePullPolicy: "%[1]s", pullSecrets: ["%[1]s"],
		completionPolicy: {type: "%[1]s"}, sandboxConfig: {labels: {"%[1]s": "%[2]s"}},
		selector: {names: ["%[1]s"], matchLabels: {"%[1]s": "%[1]s"}, matchExpressions: [{key: "%[1]s", operator: "%[1]s", values: ["%[1]s"]}]}}`,
		long, strings.Repeat("x", 5000))))
	if len(errs) < 11 {
		t.Errorf("only %d errors: %v", len(errs), errs)
	}
	for _, err := range errs {
		if len(err.Error()) > 1000 {
			t.Errorf("%d bytes: %v", len(err.Error()), err)
		}
	}
}

func TestValidateStopsAtAbsurdSizes(t *testing.T) {
	job := jobOf(t, `{}`)
	for range 300000 {
		job.Spec.Images = append(job.Spec.Images, "A")
		job.Spec.PullSecrets = append(job.Spec.PullSecrets, "")
	}
	for range maxImages {
		job.Spec.ImageOverrides = append(job.Spec.ImageOverrides, v1alpha1.ImageOverride{ImagePullJobTemplate: v1alpha1.ImagePullJobTemplate{
			Selector: &v1alpha1.ImagePullJobNodeSelector{Names: make([]string, maxNodeNames)},
		}})
	}
	if got := len(Validate(job)); got > 10*enough {
		t.Errorf("%d errors", got)
	}
}
