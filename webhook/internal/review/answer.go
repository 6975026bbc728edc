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
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

const (
	// maxErrors bounds the answer: a spec can hold some ten thousand wrong values.
	maxErrors = 100
	// maxValue bounds, in bytes, what is repeated of a value.
	maxValue = 100
)

// Invalid is the answer that the API server itself gives to an invalid object, HTTP status 422 and reason Invalid, so that clients
// show one line for each error. There must be at least one.
func (r *Review) Invalid(errs field.ErrorList) admission.Response {
	if more := len(errs) - maxErrors; more > 0 {
		errs = append(errs[:maxErrors:maxErrors], field.Invalid(field.NewPath("spec"), field.OmitValueType{},
			fmt.Sprintf("and at least %d errors more: mend these first", more)))
	}
	kind := v1alpha1.GroupVersion.WithKind("ImageListPullJob").GroupKind()
	status := apierrors.NewInvalid(kind, r.Name, errs).Status()
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Result: &status}}
}

// Shorten returns a value as it may be repeated in an answer: cut to a bearable length.
func Shorten(value string) string {
	if len(value) <= maxValue {
		return value
	}
	cut := maxValue
	for cut > 0 && !utf8.RuneStart(value[cut]) {
		cut--
	}
	return value[:cut] + "…"
}

var (
	scheme = regexp.MustCompile(`^[a-z]+://`)
	// digestTail is what may follow the last @ of a reference. What precedes any other @ may be a login.
	digestTail = regexp.MustCompile(`@sha[0-9]+[^@/]*$`)
)

// ShortenImage is Shorten for what should be an image reference, but may hold the login to a registry, as in user:password@host.
func ShortenImage(image string) string {
	if _, err := v1alpha1.ParseImageKey(image); err == nil {
		return Shorten(image)
	}
	digest := digestTail.FindString(image)
	image = strings.TrimSuffix(image, digest)
	if at := strings.LastIndex(image, "@"); at >= 0 {
		image = scheme.FindString(image) + "***" + image[at:]
	}
	return Shorten(image + digest)
}
