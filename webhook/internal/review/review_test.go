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
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func TestErrorsNamesAFieldOnce(t *testing.T) {
	reviewed, err := Read(admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: admissionv1.Create,
		Object:    runtime.RawExtension{Raw: []byte(`{"spec":{"images":[1]}}`)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	first := field.NewPath("spec", "images").Index(0)
	var got []string
	for _, err := range reviewed.Errors(field.ErrorList{field.Required(first, ""), field.Required(field.NewPath("spec"), "")}) {
		got = append(got, err.Error())
	}
	want := []string{`spec.images[0]: Invalid value: "1": must be a string`, "spec: Required value"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
