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
