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
	"encoding/json"
	"fmt"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/webhook/internal/review"
	"github.com/openkruise/imagelistpulljob/webhook/validating"
)

// +kubebuilder:webhook:path=/mutate-apps-kruise-io-v1alpha1-imagelistpulljob,mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,groups=apps.kruise.io,resources=imagelistpulljobs,verbs=create;update,versions=v1alpha1,name=mimagelistpulljob.kb.io

// HandlerGetterMap is the mutating handler by path. The path with the version is that of Kruise up to 1.8, the other that of
// Kruise 1.9 and later.
var HandlerGetterMap = map[string]func(manager.Manager) admission.Handler{
	"/mutate-apps-kruise-io-v1alpha1-imagelistpulljob": newHandler,
	"/mutate-apps-kruise-io-imagelistpulljob":          newHandler,
}

type handler struct{}

func newHandler(manager.Manager) admission.Handler { return handler{} }

// Handle answers with a patch of the defaults, or with everything that is wrong with the spec.
func (handler) Handle(_ context.Context, req admission.Request) admission.Response {
	reviewed, err := review.Read(req)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if reviewed == nil {
		return admission.Allowed("")
	}
	if errs := reviewed.Errors(validating.Validate(reviewed.Job)); len(errs) > 0 {
		return reviewed.Invalid(errs)
	}
	return defaultsPatch(reviewed.Job)
}

// defaultsPatch compares the job before and after defaulting, both as our types marshal it: compared with the request, fields that
// our types lack would be removed.
func defaultsPatch(job *v1alpha1.ImageListPullJob) admission.Response {
	before, err := json.Marshal(job)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("marshal the job: %w", err))
	}
	v1alpha1.SetDefaults(job)
	after, err := json.Marshal(job)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("marshal the defaulted job: %w", err))
	}
	return admission.PatchResponseFromRaw(before, after)
}
