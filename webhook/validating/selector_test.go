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

import "testing"

func TestValidateSelectors(t *testing.T) {
	checkRules(t, map[string]rule{
		"case 28: an empty selector": {spec: `{images: [a], selector: {}}`},
		"node names":                 {spec: `{images: [a], selector: {names: [n1, n2.example]}}`},
		"names beside empty labels":  {spec: `{images: [a], selector: {names: [n1], matchLabels: {}, matchExpressions: []}}`},
		"an override that swaps one selector for the other": {
			spec: `{images: [a], selector: {names: [n1]}, imagePullJobTemplate: [{image: a, podSelector: {matchLabels: {b: c}}}]}`,
		},
		"no names": {
			spec: `{images: [a], selector: {names: []}}`,
			want: []string{"spec.selector.names Invalid"}, wantText: []string{"leave names out to choose all nodes"},
		},
		"names and labels": {
			spec: `{images: [a], selector: {names: [n1], matchLabels: {a: b}}}`,
			want: []string{"spec.selector.names Forbidden"}, wantText: []string{"by name or by label"},
		},
		"no names and expressions": {
			spec: `{images: [a], selector: {names: [], matchExpressions: [{key: a, operator: Exists}]}}`,
			want: []string{"spec.selector.names Forbidden", "spec.selector.names Invalid"},
		},
		"names empty, double and wrong": {
			spec: `{images: [a], selector: {names: [n1, "", n1, N_2]}}`,
			want: []string{"spec.selector.names[1] Required", "spec.selector.names[2] Duplicate", "spec.selector.names[3] Invalid"},
		},
		"too many names": {
			spec: `{images: [a], selector: {names: [` + list("n%d, ", 5001) + `]}}`,
			want: []string{"spec.selector.names TooMany"},
		},
		"both selectors": {
			spec: `{images: [a], selector: {}, podSelector: {}}`,
			want: []string{"spec.podSelector Forbidden"}, wantText: []string{"remove one"},
		},
		"both selectors in an override": {
			spec: `{images: [a], imagePullJobTemplate: [{image: a, selector: {names: [n1]}, podSelector: {}}]}`,
			want: []string{"spec.imagePullJobTemplate[0].podSelector Forbidden"},
		},
		"labels that are none": {
			spec: `{images: [a], podSelector: {matchLabels: {"a b": c, d: "e f", "": x}}}`,
			want: []string{
				"spec.podSelector.matchLabels[] Invalid", "spec.podSelector.matchLabels[] Invalid",
				"spec.podSelector.matchLabels[a b] Invalid", "spec.podSelector.matchLabels[d] Invalid",
			},
		},
		"expressions that are none": {
			spec: `{images: [a], selector: {matchExpressions: [{key: a, operator: In}, {key: b, operator: Exists, values: [c]},
				{key: d, operator: Is, values: [e]}, {key: "f g", operator: Exists}, {key: h, operator: NotIn, values: ["i j"]}]}}`,
			want: []string{
				"spec.selector.matchExpressions[0].values Required",
				"spec.selector.matchExpressions[1].values Forbidden",
				"spec.selector.matchExpressions[2].operator NotSupported",
				"spec.selector.matchExpressions[3].key Invalid",
				"spec.selector.matchExpressions[4].values[0] Invalid",
			},
			wantText: []string{`Unsupported value: "Is": supported values: `},
		},
		"too many of everything": {
			spec: `{images: [a], podSelector: {matchLabels: {` + list("k%d: v, ", 65) + `}, matchExpressions: [` +
				list("{key: k%d, operator: Exists}, ", 64) + `{key: a, operator: In, values: [v]}]}}`,
			want: []string{"spec.podSelector.matchLabels TooMany", "spec.podSelector.matchExpressions TooMany"},
		},
		"too many values": {
			spec: `{images: [a], podSelector: {matchExpressions: [{key: a, operator: In, values: [` + list("v%d, ", 65) + `]}]}}`,
			want: []string{"spec.podSelector.matchExpressions[0].values TooMany"},
		},
	})
}
