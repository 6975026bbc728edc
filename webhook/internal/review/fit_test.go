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

package review

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

func TestFit(t *testing.T) {
	for name, tc := range map[string]struct {
		spec string
		// want is what is left of the spec.
		want string
		// wantErrors are the messages, in order.
		wantErrors []string
	}{
		"all right": {
			spec: `{"images":["a"],"parallelism":"5","pullPolicy":{"timeoutSeconds":5},"selector":{"matchLabels":{"a":"b"}}}`,
			want: `{"images":["a"],"parallelism":"5","pullPolicy":{"timeoutSeconds":5},"selector":{"matchLabels":{"a":"b"}}}`,
		},
		"numbers of any notation":        {spec: `{"parallelism":1e1,"pullPolicy":{"timeoutSeconds":5.0}}`, want: `{"parallelism":10,"pullPolicy":{"timeoutSeconds":5}}`},
		"null and unknown fields vanish": {spec: `{"images":null,"later":[1],"Images":5}`, want: `{}`},
		"an index stays":                 {spec: `{"images":["a",1,"b"]}`, want: `{"images":["a",null,"b"]}`, wantErrors: []string{`spec.images[1]: Invalid value: "1": must be a string`}},
		"no spec":                        {spec: `null`, want: `null`},
		"no object":                      {spec: `"x"`, want: `null`, wantErrors: []string{`spec: Invalid value: "string": must be an object`}},
		"wrong everywhere": {
			spec: `{"images":{},"imagePullPolicy":true,"pullPolicy":[],"sandboxConfig":{"labels":[],"annotations":{"b":1,"a":{}}},
				"imagePullJobTemplate":[5,{"image":[],"completionPolicy":{"activeDeadlineSeconds":"5"}}]}`,
			want: `{"sandboxConfig":{"annotations":{"a":null,"b":null}},"imagePullJobTemplate":[null,{"completionPolicy":{}}]}`,
			wantErrors: []string{
				`spec.images: Invalid value: "object": must be a list`,
				`spec.pullPolicy: Invalid value: "list": must be an object`,
				`spec.sandboxConfig.labels: Invalid value: "list": must be an object`,
				`spec.sandboxConfig.annotations[a]: Invalid value: "object": must be a string`,
				`spec.sandboxConfig.annotations[b]: Invalid value: "1": must be a string`,
				`spec.imagePullPolicy: Invalid value: "true": must be a string`,
				`spec.imagePullJobTemplate[0]: Invalid value: "5": must be an object`,
				`spec.imagePullJobTemplate[1].image: Invalid value: "list": must be a string`,
				`spec.imagePullJobTemplate[1].completionPolicy.activeDeadlineSeconds: Invalid value: "string": must be a whole number of at most 64 bits`,
			},
		},
		"numbers at their bounds": {
			spec: `{"parallelism":-2147483648,"pullPolicy":{"timeoutSeconds":2147483647},"completionPolicy":{"activeDeadlineSeconds":9223372036854775807}}`,
			want: `{"parallelism":-2147483648,"pullPolicy":{"timeoutSeconds":2147483647},"completionPolicy":{"activeDeadlineSeconds":9223372036854775807}}`,
		},
		"numbers beyond": {
			spec: `{"parallelism":2147483648,"pullPolicy":{"timeoutSeconds":-2147483649,"backoffLimit":0.5},"completionPolicy":{"activeDeadlineSeconds":9223372036854775808}}`,
			want: `{"pullPolicy":{},"completionPolicy":{}}`,
			wantErrors: []string{
				`spec.parallelism: Invalid value: "2147483648": must be a whole number from 0 to 2147483647`,
				`spec.pullPolicy.timeoutSeconds: Invalid value: "-2147483649": must be a whole number of at most 32 bits`,
				`spec.pullPolicy.backoffLimit: Invalid value: "0.5": must be a whole number of at most 32 bits`,
				`spec.completionPolicy.activeDeadlineSeconds: Invalid value: "9.223372036854776e+18": must be a whole number of at most 64 bits`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := fit(tree(t, tc.spec), reflect.TypeFor[v1alpha1.ImageListPullJobSpec](), field.NewPath("spec"))
			var messages []string
			for _, err := range errs {
				messages = append(messages, err.Error())
			}
			if diff := cmp.Diff(tc.wantErrors, messages); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tree(t, tc.want), got); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFitStopsCollecting(t *testing.T) {
	wrong := make([]any, 10000)
	for i := range wrong {
		wrong[i] = true
	}
	_, errs := fit(wrong, reflect.TypeFor[[]string](), field.NewPath("spec", "images"))
	if len(errs) <= maxErrors || len(errs) > 2*maxErrors {
		t.Errorf("%d errors of 10000, want a few more than an answer holds", len(errs))
	}
}

func tree(t *testing.T, raw string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
