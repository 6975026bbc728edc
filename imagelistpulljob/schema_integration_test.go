//go:build integration

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

package imagelistpulljob_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// What the CRD refuses by itself: no webhook runs here.
func TestSchemaRefuses(t *testing.T) {
	c := newCluster(t)
	for name, tc := range map[string]struct {
		spec string
		// want are parts of the error; none: the job is accepted.
		want []string
	}{
		"a job of the usual kind":            {spec: `{images: [nginx], parallelism: 5}`},
		"digits for parallelism":             {spec: `{images: [nginx], parallelism: "5"}`},
		"images that only overrides name":    {spec: `{imagePullJobTemplate: [{image: nginx}]}`},
		"an empty selector":                  {spec: `{images: [nginx], selector: {}}`},
		"a deadline with a shorter time-out": {spec: `{images: [nginx], completionPolicy: {activeDeadlineSeconds: 60}, pullPolicy: {timeoutSeconds: 60}}`},
		"no spec":                            {spec: `null`, want: []string{"spec: Required value"}},
		"no images":                          {spec: `{}`, want: []string{"spec.images", "at least one image"}},
		"one image twice":                    {spec: `{images: [nginx, nginx]}`, want: []string{"spec.images[1]: Duplicate value"}},
		"an override twice":                  {spec: `{imagePullJobTemplate: [{image: a}, {image: a}]}`, want: []string{"spec.imagePullJobTemplate[1]: Duplicate value"}},
		"both selectors":                     {spec: `{images: [a], selector: {names: [n1]}, podSelector: {}}`, want: []string{"mutually exclusive"}},
		"both selectors in an override":      {spec: `{imagePullJobTemplate: [{image: a, selector: {}, podSelector: {}}]}`, want: []string{"mutually exclusive"}},
		"no node names":                      {spec: `{images: [a], selector: {names: []}}`, want: []string{"spec.selector.names"}},
		"Never with a TTL":                   {spec: `{images: [a], completionPolicy: {type: Never, ttlSecondsAfterFinished: 5}}`, want: []string{"need completionPolicy.type Always"}},
		"Never with a deadline":              {spec: `{images: [a], completionPolicy: {type: Never, activeDeadlineSeconds: 900}}`, want: []string{"need completionPolicy.type Always"}},
		"case 5: a deadline shorter than the default time-out": {
			spec: `{images: [a], completionPolicy: {activeDeadlineSeconds: 60}}`, want: []string{"activeDeadlineSeconds", "timeoutSeconds"},
		},
		"Never, with neither":                        {spec: `{images: [a], completionPolicy: {type: Never}}`},
		"a TTL in an override":                       {spec: `{imagePullJobTemplate: [{image: a, completionPolicy: {ttlSecondsAfterFinished: 5}}]}`, want: []string{"only activeDeadlineSeconds may be overridden"}},
		"a deadline in an override":                  {spec: `{imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 900}}]}`},
		"a deadline as long as the default time-out": {spec: `{images: [a], completionPolicy: {activeDeadlineSeconds: 600}}`},
		"case 5: a deadline shorter than a time-out that is set": {
			spec: `{images: [a], completionPolicy: {activeDeadlineSeconds: 600}, pullPolicy: {timeoutSeconds: 601}}`, want: []string{"activeDeadlineSeconds", "timeoutSeconds"},
		},
		"a pull secret twice":         {spec: `{images: [a], pullSecrets: [s, s]}`, want: []string{"spec.pullSecrets[1]: Duplicate value"}},
		"a node twice":                {spec: `{images: [a], selector: {names: [node-1, node-1]}}`, want: []string{"spec.selector.names[1]: Duplicate value"}},
		"an override of no image":     {spec: `{images: [a], imagePullJobTemplate: [{parallelism: 1}]}`, want: []string{"spec.imagePullJobTemplate[0].image"}},
		"an expression without a key": {spec: `{images: [a], podSelector: {matchExpressions: [{operator: Exists}]}}`, want: []string{"spec.podSelector.matchExpressions[0].key"}},
		"values that are none of the enums": {
			spec: `{images: [a], imagePullPolicy: Never, completionPolicy: {type: Sometimes}, selector: {matchExpressions: [{key: a, operator: Is}]},
				imagePullJobTemplate: [{image: b, imagePullPolicy: always}]}`,
			want: []string{
				`spec.imagePullPolicy: Unsupported value: "Never"`, `spec.completionPolicy.type: Unsupported value: "Sometimes"`,
				`spec.selector.matchExpressions[0].operator: Unsupported value: "Is"`, `spec.imagePullJobTemplate[0].imagePullPolicy: Unsupported value`,
			},
		},
		"the enums": {
			spec: `{images: [a], imagePullPolicy: Always, completionPolicy: {type: Always}, imagePullJobTemplate: [{image: b, imagePullPolicy: IfNotPresent}],
				selector: {matchExpressions: [{key: a, operator: In, values: [b]}, {key: a, operator: NotIn, values: [b]}, {key: a, operator: Exists}, {key: a, operator: DoesNotExist}]}}`,
		},
		"numbers below their range": {
			spec: `{images: [a], maxConcurrentImages: 0, parallelism: -1, pullPolicy: {timeoutSeconds: 0, backoffLimit: -1},
				completionPolicy: {activeDeadlineSeconds: 0, ttlSecondsAfterFinished: -1}}`,
			want: []string{
				"spec.maxConcurrentImages", "spec.parallelism", "spec.pullPolicy.timeoutSeconds", "spec.pullPolicy.backoffLimit",
				"spec.completionPolicy.activeDeadlineSeconds", "spec.completionPolicy.ttlSecondsAfterFinished",
			},
		},
		"numbers above their range": {
			spec: `{images: [a], maxConcurrentImages: 256, parallelism: "1000000000", pullPolicy: {timeoutSeconds: 86401, backoffLimit: 1001},
				completionPolicy: {activeDeadlineSeconds: 2147483648, ttlSecondsAfterFinished: 2147483648}}`,
			want: []string{
				"spec.maxConcurrentImages", "spec.parallelism", "spec.pullPolicy.timeoutSeconds", "spec.pullPolicy.backoffLimit",
				"spec.completionPolicy.activeDeadlineSeconds", "spec.completionPolicy.ttlSecondsAfterFinished",
			},
		},
		"numbers that the Go types cannot hold": { // one such job would keep every typed client from listing any
			spec: `{images: [a], parallelism: 2147483648, completionPolicy: {ttlSecondsAfterFinished: 2147483648},
				imagePullJobTemplate: [{image: b, parallelism: 9223372036854775807}]}`,
			want: []string{"spec.parallelism", "spec.completionPolicy.ttlSecondsAfterFinished", "spec.imagePullJobTemplate[0].parallelism"},
		},
		"numbers at both ends of their range": {
			spec: `{images: [a], maxConcurrentImages: 255, parallelism: "999999999", pullPolicy: {timeoutSeconds: 86400, backoffLimit: 0},
				completionPolicy: {activeDeadlineSeconds: 2147483647, ttlSecondsAfterFinished: 0},
				imagePullJobTemplate: [{image: b, parallelism: 0, pullPolicy: {timeoutSeconds: 1, backoffLimit: 1000}}]}`,
		},
		"lists that are too long": {
			spec: `{images: [` + entries("i%d", 256) + `], pullSecrets: [` + entries("s%d", 65) + `], imagePullJobTemplate: [` + entries("{image: o%d}", 256) + `],
				selector: {names: [` + entries("n%d", 5001) + `], matchExpressions: [` + entries("{key: k%d, operator: Exists}", 65) + `]}}`,
			want: []string{"spec.images: Too many", "spec.pullSecrets: Too many", "spec.imagePullJobTemplate: Too many",
				"spec.selector.names: Too many", "spec.selector.matchExpressions: Too many"},
		},
		"maps that are too large": {
			spec: `{images: [a], sandboxConfig: {labels: {` + entries("k%d: v", 65) + `}, annotations: {` + entries("k%d: v", 65) + `}},
				podSelector: {matchLabels: {` + entries("k%d: v", 65) + `}}}`,
			want: []string{"spec.sandboxConfig.labels: Too many", "spec.sandboxConfig.annotations: Too many", "spec.podSelector.matchLabels: Too many"},
		},
		"strings that are too long": {
			spec: `{images: [` + strings.Repeat("i", 513) + `], pullSecrets: [` + strings.Repeat("s", 254) + `], selector: {names: [` + strings.Repeat("n", 254) + `],
				matchLabels: {a: ` + strings.Repeat("l", 64) + `}}, sandboxConfig: {labels: {a: ` + strings.Repeat("v", 4097) + `}}}`,
			want: []string{"spec.images[0]: Too long", "spec.pullSecrets[0]: Too long", "spec.selector.names[0]: Too long",
				"spec.selector.matchLabels.a: Too long", "spec.sandboxConfig.labels.a: Too long"},
		},
		"strings that are empty": {
			spec: `{images: [""], pullSecrets: [""], selector: {names: [""]}, imagePullJobTemplate: [{image: ""}]}`,
			want: []string{"spec.images[0]", "spec.pullSecrets[0]", "spec.selector.names[0]", "spec.imagePullJobTemplate[0].image"},
		},
		// The rules in CEL have a budget for each request: the largest jobs that there can be must fit into it.
		"a job as large as can be": {
			spec: `{images: [` + entries("i%d", 255) + `], completionPolicy: {type: Always, activeDeadlineSeconds: 900},
				imagePullJobTemplate: [` + entries("{image: i%d, selector: {names: [node-1]}, completionPolicy: {activeDeadlineSeconds: 700}}", 255) + `]}`,
		},
		"a type in an override": {spec: `{imagePullJobTemplate: [{image: a, completionPolicy: {type: Never}}]}`, want: []string{"only activeDeadlineSeconds may be overridden"}},
		"case 12: everything at once": {
			spec: `{images: [a], completionPolicy: {ttlSecondsAfterFinished: -1}, pullPolicy: {timeoutSeconds: -5, backoffLimit: -1},
				parallelism: -3, imagePullPolicy: Foo, pullSecrets: ["", a, a], imagePullJobTemplate: [{image: b, parallelism: "50%"}]}`,
			want: []string{
				"spec.completionPolicy.ttlSecondsAfterFinished", "spec.pullPolicy.timeoutSeconds", "spec.pullPolicy.backoffLimit", "spec.parallelism",
				"spec.imagePullPolicy", "spec.pullSecrets[0]", "spec.pullSecrets[2]", "spec.imagePullJobTemplate[0].parallelism",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			job := &unstructured.Unstructured{}
			manifest := "{apiVersion: apps.kruise.io/v1alpha1, kind: ImageListPullJob, metadata: {generateName: job-, namespace: " + c.namespace + "}, spec: " + tc.spec + "}"
			if err := yaml.Unmarshal([]byte(manifest), &job.Object); err != nil {
				t.Fatal(err)
			}
			err := c.Create(context.Background(), job)
			if len(tc.want) == 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !apierrors.IsInvalid(err) {
				t.Fatalf("error %v, want that it is invalid", err)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not tell %q", err, part)
				}
			}
		})
	}
}

// entries repeats a format with growing numbers, as items of a list.
func entries(format string, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ", ")
}
