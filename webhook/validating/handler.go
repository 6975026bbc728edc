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
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/openkruise/imagelistpulljob/webhook/internal/review"
)

// +kubebuilder:webhook:path=/validate-apps-kruise-io-v1alpha1-imagelistpulljob,mutating=false,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,groups=apps.kruise.io,resources=imagelistpulljobs,verbs=create;update,versions=v1alpha1,name=vimagelistpulljob.kb.io

// HandlerGetterMap is the validating handler by path. The path with the version is that of Kruise up to 1.8, the other that of
// Kruise 1.9 and later.
var HandlerGetterMap = map[string]func(manager.Manager) admission.Handler{
	"/validate-apps-kruise-io-v1alpha1-imagelistpulljob": newHandler,
	"/validate-apps-kruise-io-imagelistpulljob":          newHandler,
}

type handler struct{}

func newHandler(manager.Manager) admission.Handler { return handler{} }

// Handle answers with everything that is wrong with the spec, or with warnings about what is likely not meant.
func (handler) Handle(_ context.Context, req admission.Request) admission.Response {
	reviewed, err := review.Read(req)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if reviewed == nil {
		return admission.Allowed("")
	}
	if errs := reviewed.Errors(Validate(reviewed.Job)); len(errs) > 0 {
		return reviewed.Invalid(errs)
	}
	return admission.Allowed("").WithWarnings(warnings(reviewed.Job)...)
}
