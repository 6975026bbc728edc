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
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	bad  = `{metadata: {name: x, generation: 1}, spec: {images: []}}`
	good = `{metadata: {name: x}, spec: {images: ["a:1"], parallelism: 2}}`
)

// request of an operation with objects as a user writes them; null stands for none.
func request(t testing.TB, operation admissionv1.Operation, object, old string) admission.Request {
	t.Helper()
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind:      metav1.GroupVersionKind{Group: "apps.kruise.io", Version: "v1alpha1", Kind: "ImageListPullJob"},
		Operation: operation,
		Object:    runtime.RawExtension{Raw: rawOf(t, object)},
		OldObject: runtime.RawExtension{Raw: rawOf(t, old)},
	}}
}

func rawOf(t testing.TB, object string) []byte {
	t.Helper()
	if object == "" {
		return nil
	}
	var tree any
	if err := yaml.Unmarshal([]byte(object), &tree); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestHandler(t *testing.T) {
	for name, tc := range map[string]struct {
		operation   admissionv1.Operation
		object, old string
		subResource string
		wantCode    int32
		wantText    string
	}{
		"create, valid":                     {admissionv1.Create, good, "", "", http.StatusOK, ""},
		"create, invalid":                   {admissionv1.Create, bad, "", "", http.StatusUnprocessableEntity, `ImageListPullJob.apps.kruise.io "x" is invalid: spec.images: Required value`},
		"create with a generated name":      {admissionv1.Create, `{metadata: {generateName: y-}, spec: {images: []}}`, "", "", http.StatusUnprocessableEntity, `"y-" is invalid`},
		"create without a spec":             {admissionv1.Create, `{metadata: {name: x}}`, "", "", http.StatusUnprocessableEntity, "spec.images: Required value"},
		"create with a null spec":           {admissionv1.Create, `{metadata: null, spec: null}`, "", "", http.StatusUnprocessableEntity, "spec.images: Required value"},
		"create with a spec that is a list": {admissionv1.Create, `{spec: [a]}`, "", "", http.StatusUnprocessableEntity, `spec: Invalid value: "list": must be an object`},
		"update that makes it invalid":      {admissionv1.Update, bad, good, "", http.StatusUnprocessableEntity, "spec.images: Required value"},
		"update that mends it":              {admissionv1.Update, good, bad, "", http.StatusOK, ""},
		"case 23: a label on what today's rules refuse": {
			admissionv1.Update, `{metadata: {name: x, labels: {a: b}}, spec: {images: []}}`, bad, "", http.StatusOK, "",
		},
		"case 23: a finalizer off what is being deleted": {
			admissionv1.Update, `{metadata: {name: x, deletionTimestamp: "2025-01-01T00:00:00Z"}, spec: {images: [":"]}}`, bad, "", http.StatusOK, "",
		},
		"case 23: defaults filled in, else the same": {
			admissionv1.Update,
			`{metadata: {name: x}, spec: {images: [":"], completionPolicy: {type: Always}, imagePullPolicy: IfNotPresent}}`,
			`{metadata: {name: x}, spec: {images: [":"], completionPolicy: {}}}`, "", http.StatusOK, "",
		},
		"case 23: a label beside values of a wrong type": {
			admissionv1.Update, `{metadata: {labels: {a: b}}, spec: {images: 5}}`, `{spec: {images: 5}}`, "", http.StatusOK, "",
		},
		"another value of a wrong type is a change": {
			admissionv1.Update, `{spec: {images: 6}}`, `{spec: {images: 5}}`, "", http.StatusUnprocessableEntity, "spec.images: Invalid value",
		},
		"update of what was stored as no object": {admissionv1.Update, bad, `[]`, "", http.StatusUnprocessableEntity, "spec.images"},
		"status subresource":                     {admissionv1.Update, bad, good, "status", http.StatusOK, ""},
		"deletion":                               {admissionv1.Delete, "", bad, "", http.StatusOK, ""},
		"no object":                              {admissionv1.Create, "", "", "", http.StatusBadRequest, "decode the object"},
		"null":                                   {admissionv1.Create, "null", "", "", http.StatusBadRequest, "it is null"},
		"a string":                               {admissionv1.Create, `"x"`, "", "", http.StatusBadRequest, "decode the object"},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, tc.operation, tc.object, tc.old)
			req.SubResource = tc.subResource
			resp := newHandler(nil).Handle(context.Background(), req)
			if resp.Allowed != (tc.wantCode == http.StatusOK) || resp.Result.Code != tc.wantCode {
				t.Errorf("allowed %t, %v; want code %d", resp.Allowed, resp.Result, tc.wantCode)
			}
			if !strings.Contains(resp.Result.Message, tc.wantText) {
				t.Errorf("message %q, want %q", resp.Result.Message, tc.wantText)
			}
			if len(resp.Patches) > 0 {
				t.Errorf("validation patched: %v", resp.Patches)
			}
		})
	}
}

func TestHandlerAnswersAsTheAPIServerDoes(t *testing.T) {
	req := request(t, admissionv1.Create, `{metadata: {name: x}, spec: {images: [nginx, "nginx:latest"], parallelism: [], pullPolicy: {timeoutSeconds: 0.5}}}`, "")
	req.Kind.Version = "v1beta1"
	result := newHandler(nil).Handle(context.Background(), req).Result
	if result.Reason != metav1.StatusReasonInvalid || result.Code != http.StatusUnprocessableEntity {
		t.Errorf("%s %d", result.Reason, result.Code)
	}
	want := []string{
		`spec.parallelism: Invalid value: "list": must be a whole number from 0 to 2147483647`,
		`spec.pullPolicy.timeoutSeconds: Invalid value: "0.5": must be a whole number of at most 32 bits`,
		`spec.images[1]: Duplicate value: "nginx:latest": the same image as "nginx" in spec.images[0]: remove one`,
	}
	var got []string
	for _, cause := range result.Details.Causes {
		got = append(got, cause.Field+": "+cause.Message)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	if result.Details.Kind != "ImageListPullJob" || result.Details.Group != "apps.kruise.io" || result.Details.Name != "x" {
		t.Errorf("details %v", result.Details)
	}
}

func TestHandlerAdmitsTheSamples(t *testing.T) {
	files, err := filepath.Glob("../../config/samples/imagelistpulljob*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		sample, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		resp := newHandler(nil).Handle(context.Background(), request(t, admissionv1.Create, string(sample), ""))
		if !resp.Allowed {
			t.Errorf("%s: %v", file, resp.Result.Message)
		}
	}
}

func TestHandlerWarns(t *testing.T) {
	object := `{spec: {images: [a]}}`
	if got := len(newHandler(nil).Handle(context.Background(), request(t, admissionv1.Create, object, "")).Warnings); got != 2 {
		t.Errorf("%d warnings on create, want 2", got)
	}
	if got := newHandler(nil).Handle(context.Background(), request(t, admissionv1.Update, object, object)).Warnings; len(got) > 0 {
		t.Errorf("warnings on an update of metadata: %v", got)
	}
}

func TestHandlerBoundsItsAnswer(t *testing.T) {
	req := request(t, admissionv1.Create, "{}", "")
	for name, raw := range map[string]string{
		"numbers in place of images": `{"spec":{"images":[` + strings.Repeat("1,", 500000) + `1]}}`,
		"long wrong images":          `{"spec":{"images":[` + strings.Repeat(fmt.Sprintf("%q,", strings.Repeat("A", 500)), 2000) + `"a"]}}`,
		"wrong labels":               `{"spec":{"sandboxConfig":{"labels":{` + numberedLabels(100000) + `}}}}`,
		"a long name":                `{"metadata":{"name":"` + strings.Repeat("x", 1000000) + `"}}`,
		"deep nesting":               `{"spec":{"images":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			req.Object.Raw = []byte(raw)
			resp := newHandler(nil).Handle(context.Background(), req)
			if resp.Allowed || len(resp.Result.Message) > 50000 || len(resp.Result.Details.Causes) > 101 {
				t.Errorf("allowed %t, %d bytes, %d causes", resp.Allowed, len(resp.Result.Message), len(resp.Result.Details.Causes))
			}
		})
	}
	req.Object.Raw = []byte(strings.Repeat("[", 1000000))
	if resp := newHandler(nil).Handle(context.Background(), req); resp.Allowed || resp.Result.Code != http.StatusBadRequest {
		t.Errorf("%v", resp.Result)
	}
}

func numberedLabels(n int) string {
	return strings.TrimSuffix(list(`"k%d":1,`, n), ",")
}
