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

package webhook

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/openkruise/imagelistpulljob/webhook/mutating"
	"github.com/openkruise/imagelistpulljob/webhook/validating"
)

// A host assigns the maps to types of its own, so these must be exactly what is promised.
var _ = []*map[string]func(manager.Manager) admission.Handler{
	&HandlerGetterMap, &mutating.HandlerGetterMap, &validating.HandlerGetterMap,
}

// host is a manager of which nothing may be asked but its webhook server.
type host struct {
	manager.Manager
	server ctrlwebhook.Server
}

func (h host) GetWebhookServer() ctrlwebhook.Server { return h.server }

func newHost() host { return host{server: ctrlwebhook.NewServer(ctrlwebhook.Options{})} }

func TestHandlerGetterMap(t *testing.T) {
	var paths []string
	for path, getter := range HandlerGetterMap {
		paths = append(paths, path)
		if getter(nil) == nil {
			t.Errorf("%s has no handler", path)
		}
	}
	slices.Sort(paths)
	want := []string{
		"/mutate-apps-kruise-io-imagelistpulljob", "/mutate-apps-kruise-io-v1alpha1-imagelistpulljob",
		"/validate-apps-kruise-io-imagelistpulljob", "/validate-apps-kruise-io-v1alpha1-imagelistpulljob",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestAdd(t *testing.T) {
	mgr := newHost()
	if err := Add(mgr); err != nil {
		t.Fatal(err)
	}
	for path := range HandlerGetterMap {
		for version, object := range map[string]string{
			"v1alpha1": `{"spec":{"images":["a:1"],"parallelism":2}}`,
			"v1beta1":  `{"apiVersion":"apps.kruise.io/v1beta1","kind":"ImageListPullJob","spec":{"images":["a:1"],"parallelism":2}}`,
		} {
			resp := ask(t, mgr.server, path, version, object)
			if !resp.Allowed || strings.HasPrefix(path, "/mutate") != (len(resp.Patch) > 0) {
				t.Errorf("%s %s: %v", path, version, resp)
			}
		}
		if resp := ask(t, mgr.server, path, "v1alpha1", `{"spec":{}}`); resp.Allowed || resp.Result.Reason != metav1.StatusReasonInvalid {
			t.Errorf("%s: an invalid job: %v", path, resp)
		}
	}
}

// ask sends an object as the API server does.
func ask(t *testing.T, server ctrlwebhook.Server, path, version, object string) *admissionv1.AdmissionResponse {
	t.Helper()
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "u", Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: []byte(object)},
			Kind: metav1.GroupVersionKind{Group: "apps.kruise.io", Version: version, Kind: "ImageListPullJob"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	server.WebhookMux().ServeHTTP(recorder, req)
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &review); err != nil || review.Response == nil {
		t.Fatalf("%s: %v in %s", path, err, recorder.Body)
	}
	return review.Response
}

func TestAddWhereAPathIsTaken(t *testing.T) {
	const path = "/validate-apps-kruise-io-imagelistpulljob"
	mgr := newHost()
	mgr.server.Register(path, http.NotFoundHandler())
	if err := Add(mgr); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}
