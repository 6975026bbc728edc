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

package mutating

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func request(operation admissionv1.Operation, object, old string) admission.Request {
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: operation,
		Object:    runtime.RawExtension{Raw: []byte(object)},
		OldObject: runtime.RawExtension{Raw: []byte(old)},
	}}
}

func TestHandler(t *testing.T) {
	completionPolicy := map[string]any{"type": "Always"}
	pullPolicy := map[string]any{"timeoutSeconds": 600.0, "backoffLimit": 3.0}
	for name, tc := range map[string]struct {
		operation   admissionv1.Operation
		object, old string
		// want is what the patch adds, by path.
		want map[string]any
	}{
		"nothing set": {
			operation: admissionv1.Create, object: `{"spec":{"images":["a"]}}`,
			want: map[string]any{"/spec/completionPolicy": completionPolicy, "/spec/pullPolicy": pullPolicy, "/spec/imagePullPolicy": "IfNotPresent"},
		},
		"half of it set, in part as null": {
			operation: admissionv1.Create,
			object:    `{"spec":{"images":["a"],"completionPolicy":{"ttlSecondsAfterFinished":5},"pullPolicy":{"backoffLimit":0,"timeoutSeconds":null},"imagePullPolicy":"Always"}}`,
			want:      map[string]any{"/spec/completionPolicy/type": "Always", "/spec/pullPolicy/timeoutSeconds": 600.0},
		},
		"all of it set": {
			operation: admissionv1.Create,
			object:    `{"spec":{"images":["a"],"completionPolicy":{"type":"Never"},"pullPolicy":{"backoffLimit":0,"timeoutSeconds":1},"imagePullPolicy":"Always"}}`,
		},
		"nothing is filled in inside overrides": {
			operation: admissionv1.Create,
			object:    `{"spec":{"completionPolicy":{"type":"Never"},"pullPolicy":{"backoffLimit":0,"timeoutSeconds":1},"imagePullPolicy":"Always","imagePullJobTemplate":[{"image":"a","pullPolicy":{}}]}}`,
		},
		"fields that our types lack are left alone": {
			operation: admissionv1.Create,
			object: `{"apiVersion":"apps.kruise.io/v1beta1","kind":"ImageListPullJob","status":{"later":1},` +
				`"metadata":{"later":1},"spec":{"later":{},"images":["a"],"completionPolicy":{"type":"Never","later":1},"pullPolicy":{"backoffLimit":0,"timeoutSeconds":1}}}`,
			want: map[string]any{"/spec/imagePullPolicy": "IfNotPresent"},
		},
		"an update of the spec": {
			operation: admissionv1.Update,
			object:    `{"spec":{"images":["b"],"pullPolicy":{"backoffLimit":0,"timeoutSeconds":1},"imagePullPolicy":"Always"}}`,
			old:       `{"spec":{"images":["a"]}}`,
			want:      map[string]any{"/spec/completionPolicy": completionPolicy},
		},
		"an update that drops what was defaulted": {
			operation: admissionv1.Update,
			object:    `{"spec":{"images":["a"],"pullPolicy":{"backoffLimit":3,"timeoutSeconds":600}}}`,
			old: `{"spec":{"images":["a"],"pullPolicy":{"backoffLimit":3,"timeoutSeconds":600},` +
				`"completionPolicy":{"type":"Always"},"imagePullPolicy":"IfNotPresent"}}`,
			want: map[string]any{"/spec/completionPolicy": completionPolicy, "/spec/imagePullPolicy": "IfNotPresent"},
		},
		"case 23: an update of metadata": {
			operation: admissionv1.Update, object: `{"metadata":{"labels":{"a":"b"}},"spec":{"images":[]}}`, old: `{"spec":{"images":[]}}`,
		},
		"case 23: a finalizer off what is being deleted": {
			operation: admissionv1.Update, object: `{"metadata":{"deletionTimestamp":"2025-01-01T00:00:00Z"},"spec":{"images":[":"]}}`, old: `{}`,
		},
		"deletion": {operation: admissionv1.Delete, old: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			resp := newHandler(nil).Handle(context.Background(), request(tc.operation, tc.object, tc.old))
			if !resp.Allowed {
				t.Fatalf("refused: %v", resp.Result)
			}
			if diff := cmp.Diff(tc.want, added(t, resp)); diff != "" {
				t.Errorf("patch (-want +got):\n%s", diff)
			}
		})
	}
}

// added returns the values that a patch adds, by path. It adds, and nothing else.
func added(t *testing.T, resp admission.Response) map[string]any {
	t.Helper()
	var all map[string]any
	for _, patch := range resp.Patches {
		if patch.Operation != "add" {
			t.Errorf("%s %s", patch.Operation, patch.Path)
		}
		if all == nil {
			all = make(map[string]any)
		}
		all[patch.Path] = patch.Value
	}
	return all
}

func TestHandlerRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		object   string
		wantCode int32
		wantText []string
	}{
		"case 12: everything wrong, in one answer": {
			`{"metadata":{"name":"x"},"spec":{"images":["a",5],"parallelism":"50%","pullPolicy":{"timeoutSeconds":-5,"backoffLimit":-1},` +
				`"completionPolicy":{"ttlSecondsAfterFinished":-1},"imagePullPolicy":"Foo","pullSecrets":["","a","a"]}}`,
			http.StatusUnprocessableEntity,
			[]string{
				`ImageListPullJob.apps.kruise.io "x" is invalid`, "spec.images[1]", "spec.parallelism", "spec.pullPolicy.timeoutSeconds",
				"spec.pullPolicy.backoffLimit", "spec.completionPolicy.ttlSecondsAfterFinished", "spec.imagePullPolicy",
				"spec.pullSecrets[0]", "spec.pullSecrets[2]",
			},
		},
		"a null spec":  {`{"spec":null}`, http.StatusUnprocessableEntity, []string{"spec.images: Required value"}},
		"garbage":      {`{"spec":`, http.StatusBadRequest, []string{"decode the object of the request"}},
		"a huge field": {`{"spec":{"images":["` + strings.Repeat("A", 2000000) + `"]}}`, http.StatusUnprocessableEntity, []string{"spec.images[0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			resp := newHandler(nil).Handle(context.Background(), request(admissionv1.Create, tc.object, ""))
			if resp.Allowed || resp.Result.Code != tc.wantCode || len(resp.Result.Message) > 10000 || len(resp.Patches) > 0 {
				t.Errorf("allowed %t, %d bytes, %v", resp.Allowed, len(resp.Result.Message), resp.Result)
			}
			for _, text := range tc.wantText {
				if !strings.Contains(resp.Result.Message, text) {
					t.Errorf("no %q in %s", text, resp.Result.Message)
				}
			}
		})
	}
}
