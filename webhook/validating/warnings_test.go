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
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWarnings(t *testing.T) {
	for name, tc := range map[string]struct {
		spec string
		// want is how each warning begins.
		want []string
		// wantText must be found among the warnings, notText must not.
		wantText, notText string
	}{
		"nothing to say":               {spec: `{images: ["a:1"], parallelism: 2, completionPolicy: {ttlSecondsAfterFinished: 1}}`},
		"TTL 0":                        {spec: `{images: ["a:1"], parallelism: 2, completionPolicy: {ttlSecondsAfterFinished: 0}}`, want: []string{"spec.completionPolicy.ttlSecondsAfterFinished: 0 does not delete;"}},
		"latest, implied and explicit": {spec: `{images: [a, "b:1", "c:latest"], parallelism: 2}`, want: []string{"tag latest with"}, wantText: "older a, c:latest do not"},
		"latest, always pulled":        {spec: `{images: [a], parallelism: 2, imagePullPolicy: Always}`},
		"latest, always pulled but for one image": {
			spec: `{images: [a, b], parallelism: 2, imagePullPolicy: Always, imagePullJobTemplate: [{image: b, imagePullPolicy: IfNotPresent}]}`,
			want: []string{"tag latest with"}, wantText: "older b do not",
		},
		"a digest is not latest": {spec: `{images: ["a@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"], parallelism: 2}`},
		"many images are not all named": {
			spec: `{images: [a, b, c, d, e], parallelism: 2}`, want: []string{"tag latest with"}, wantText: "a, b, c and 2 more", notText: "d",
		},
		"one node after the other":             {spec: `{images: ["a:1"]}`, want: []string{"parallelism is at most 1 for a:1:"}, wantText: "timeoutSeconds x backoffLimit + 300 s"},
		"one node after the other, said":       {spec: `{images: ["a:1"], parallelism: "1", selector: {matchLabels: {b: c}}}`, want: []string{"parallelism is at most 1"}},
		"one node after the other, by name":    {spec: `{images: ["a:1"], selector: {names: [n1]}}`},
		"one node after the other, for one":    {spec: `{images: ["a:1", "b:1"], parallelism: 9, imagePullJobTemplate: [{image: "b:1", parallelism: 1}]}`, want: []string{"parallelism is at most 1 for b:1:"}},
		"faster for the only image overridden": {spec: `{images: ["a:1"], imagePullJobTemplate: [{image: "a:1", parallelism: 9}]}`},
		"all of them": {
			spec: `{images: [a], completionPolicy: {ttlSecondsAfterFinished: 0}}`,
			want: []string{"spec.completionPolicy.ttlSecondsAfterFinished", "tag latest with", "parallelism is at most 1"},
		},
		"long names": {
			spec: `{images: [` + strings.Repeat("x", 250) + `/a, ` + strings.Repeat("y", 250) + `/b, ` + strings.Repeat("z", 250) + `/c, d]}`,
			want: []string{"tag latest with", "parallelism is at most 1"}, wantText: "zz/c and 1 more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := warnings(jobOf(t, tc.spec))
			var begins []string
			for i, warning := range got {
				if len(warning) > 256 {
					t.Errorf("%d bytes: %s", len(warning), warning)
				}
				if i < len(tc.want) {
					warning = warning[:min(len(warning), len(tc.want[i]))]
				}
				begins = append(begins, warning)
			}
			if diff := cmp.Diff(tc.want, begins); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			all := strings.Join(got, "\n")
			if !strings.Contains(all, tc.wantText) || tc.notText != "" && strings.Contains(all, " "+tc.notText+",") {
				t.Errorf("want %q and not %q in:\n%s", tc.wantText, tc.notText, all)
			}
		})
	}
}
