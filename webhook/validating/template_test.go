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
)

func TestValidateTemplate(t *testing.T) {
	checkRules(t, map[string]rule{
		"parallelism 0 pauses":              {spec: `{images: [a], parallelism: 0}`},
		"parallelism as digits":             {spec: `{images: [a], parallelism: "0020"}`},
		"case 12: parallelism negative":     {spec: `{images: [a], parallelism: -3}`, want: []string{"spec.parallelism Invalid"}, wantText: []string{"0 pauses"}},
		"case 12: parallelism in per cent":  {spec: `{images: [a], parallelism: "50%"}`, want: []string{"spec.parallelism Invalid"}, wantText: []string{"percentages"}},
		"parallelism negative as a string":  {spec: `{images: [a], parallelism: "-3"}`, want: []string{"spec.parallelism Invalid"}},
		"parallelism empty":                 {spec: `{images: [a], parallelism: ""}`, want: []string{"spec.parallelism Invalid"}},
		"parallelism of ten digits":         {spec: `{images: [a], parallelism: "1000000000"}`, want: []string{"spec.parallelism Invalid"}},
		"timeout and backoff at the bottom": {spec: `{images: [a], pullPolicy: {timeoutSeconds: 1, backoffLimit: 0}}`},
		"case 12: timeout and backoff below": {
			spec:     `{images: [a], pullPolicy: {timeoutSeconds: 0, backoffLimit: -1}}`,
			want:     []string{"spec.pullPolicy.timeoutSeconds Invalid", "spec.pullPolicy.backoffLimit Invalid"},
			wantText: []string{"must be 1 to 86400 seconds", "must be 0 to 1000 repeated attempts"},
		},
		"timeout and backoff above, in an override": {
			spec: `{images: [a, b], imagePullJobTemplate: [{image: a}, {image: b, pullPolicy: {timeoutSeconds: 86401, backoffLimit: 1001}}]}`,
			want: []string{
				"spec.imagePullJobTemplate[1].pullPolicy.timeoutSeconds Invalid",
				"spec.imagePullJobTemplate[1].pullPolicy.backoffLimit Invalid",
			},
		},
		"case 12: imagePullPolicy unknown": {spec: `{images: [a], imagePullPolicy: Never}`, want: []string{"spec.imagePullPolicy NotSupported"}},
		"case 12: pull secrets": {
			spec: `{images: [a], pullSecrets: ["", a, a, Upper, "a/b"]}`,
			want: []string{
				"spec.pullSecrets[0] Required", "spec.pullSecrets[2] Duplicate",
				"spec.pullSecrets[3] Invalid", "spec.pullSecrets[4] Invalid",
			},
			wantText: []string{"the same as spec.pullSecrets[1]: remove one", "cannot be the name of a Secret"},
		},
		"too many pull secrets": {
			spec: `{images: [a], pullSecrets: [` + list("secret-%d, ", 65) + `]}`,
			want: []string{"spec.pullSecrets TooMany"},
		},
		"an override that is wrong all over": {
			spec: `{images: [a], imagePullJobTemplate: [{image: a, pullSecrets: [""], parallelism: -1, imagePullPolicy: x, selector: {names: []}}]}`,
			want: []string{
				"spec.imagePullJobTemplate[0].pullSecrets[0] Required",
				"spec.imagePullJobTemplate[0].selector.names Invalid",
				"spec.imagePullJobTemplate[0].parallelism Invalid",
				"spec.imagePullJobTemplate[0].imagePullPolicy NotSupported",
			},
		},
		"sandbox config at its bounds": {
			spec: `{images: [a], sandboxConfig: {labels: {` + list("k%d: v, ", 64) + `}, annotations: {a: ` + strings.Repeat("ä", 4096) + `}}}`,
		},
		"sandbox config beyond": {
			spec:     `{images: [a], sandboxConfig: {labels: {` + list("k%d: v, ", 65) + `}, annotations: {a: ` + strings.Repeat("a", 4097) + `}}}`,
			want:     []string{"spec.sandboxConfig.labels TooMany", "spec.sandboxConfig.annotations[a] Invalid"},
			wantText: []string{"at most 64", "at most 4096 characters"},
		},
	})
}

// list repeats a format with growing numbers.
func list(format string, n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}
