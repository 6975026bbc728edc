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
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

const neverFinishes = "a job of type Never does not finish: remove it, or set spec.completionPolicy.type to Always"

// validateCompletion checks what belongs to the job as a whole. The spec has been defaulted.
func validateCompletion(spec *v1alpha1.ImageListPullJobSpec, path *field.Path) field.ErrorList {
	policy, here := spec.CompletionPolicy, path.Child("completionPolicy")
	deadline, ttl := here.Child("activeDeadlineSeconds"), here.Child("ttlSecondsAfterFinished")

	var errs field.ErrorList
	types := []v1alpha1.CompletionPolicyType{v1alpha1.Always, v1alpha1.Never}
	if !slices.Contains(types, policy.Type) {
		errs = append(errs, field.NotSupported(here.Child("type"), policy.Type, types))
	}
	if policy.Type == v1alpha1.Never {
		errs = append(errs, forbidSet(deadline, policy.ActiveDeadlineSeconds, neverFinishes)...)
		errs = append(errs, forbidSet(ttl, policy.TTLSecondsAfterFinished, neverFinishes)...)
		errs = append(errs, forbidSet(path.Child("maxConcurrentImages"), spec.MaxConcurrentImages, neverFinishes)...)
	}
	errs = append(errs, outside(path.Child("maxConcurrentImages"), spec.MaxConcurrentImages, 1, maxImages, " images")...)
	errs = append(errs, outside(ttl, policy.TTLSecondsAfterFinished, 0, math.MaxInt32, " seconds; leave it out to keep the job")...)
	wrong := outside(deadline, policy.ActiveDeadlineSeconds, 1, math.MaxInt32, " seconds; leave it out for no deadline")
	errs = append(errs, wrong...)
	if len(wrong) == 0 && tooShort(&spec.ImagePullJobTemplate) {
		errs = append(errs, field.Invalid(deadline, *policy.ActiveDeadlineSeconds, fmt.Sprintf(
			"must not be less than spec.pullPolicy.timeoutSeconds, which is %d: raise the one or lower the other",
			*spec.PullPolicy.TimeoutSeconds)))
	}
	return errs
}

// validateOverriddenCompletion checks the completionPolicy of an override, and whether the timeout that is effective for its
// image fits into the deadline that is.
func validateOverriddenCompletion(job *v1alpha1.CompletionPolicy, override, effective *v1alpha1.ImagePullJobTemplate,
	path *field.Path) field.ErrorList {
	own, here := ptr.Deref(override.CompletionPolicy, v1alpha1.CompletionPolicy{}), path.Child("completionPolicy")
	deadline := here.Child("activeDeadlineSeconds")

	var errs field.ErrorList
	if own.Type != "" {
		errs = append(errs, field.Forbidden(here.Child("type"), "belongs to the whole job: set spec.completionPolicy.type"))
	}
	errs = append(errs, forbidSet(here.Child("ttlSecondsAfterFinished"), own.TTLSecondsAfterFinished,
		"belongs to the whole job: set spec.completionPolicy.ttlSecondsAfterFinished")...)
	if job.Type == v1alpha1.Never {
		errs = append(errs, forbidSet(deadline, own.ActiveDeadlineSeconds, neverFinishes)...)
	}
	if wrong := outside(deadline, own.ActiveDeadlineSeconds, 1, math.MaxInt32, " seconds"); len(wrong) > 0 {
		return append(errs, wrong...)
	}
	if own.ActiveDeadlineSeconds != nil && job.ActiveDeadlineSeconds != nil && *own.ActiveDeadlineSeconds > *job.ActiveDeadlineSeconds {
		return append(errs, field.Invalid(deadline, *own.ActiveDeadlineSeconds, fmt.Sprintf(
			"must not be more than spec.completionPolicy.activeDeadlineSeconds, which is %d", *job.ActiveDeadlineSeconds)))
	}
	return append(errs, validateEffectiveDeadline(override, effective, path)...)
}

// validateEffectiveDeadline blames the field that the override sets. If it sets neither, the job's own are to blame.
func validateEffectiveDeadline(override, effective *v1alpha1.ImagePullJobTemplate, path *field.Path) field.ErrorList {
	if !tooShort(effective) {
		return nil
	}
	deadline, timeout := *effective.CompletionPolicy.ActiveDeadlineSeconds, *effective.PullPolicy.TimeoutSeconds
	if override.CompletionPolicy != nil && override.CompletionPolicy.ActiveDeadlineSeconds != nil {
		return field.ErrorList{field.Invalid(path.Child("completionPolicy", "activeDeadlineSeconds"), deadline, fmt.Sprintf(
			"must not be less than pullPolicy.timeoutSeconds, which is %d for this image: raise the one or lower the other", timeout))}
	}
	if override.PullPolicy != nil && override.PullPolicy.TimeoutSeconds != nil {
		return field.ErrorList{field.Invalid(path.Child("pullPolicy", "timeoutSeconds"), timeout, fmt.Sprintf(
			"must not be more than completionPolicy.activeDeadlineSeconds, which is %d for this image: lower the one or raise the other",
			deadline))}
	}
	return nil
}

// tooShort says whether the admission of an ImagePullJob would refuse the deadline of a defaulted template.
func tooShort(t *v1alpha1.ImagePullJobTemplate) bool {
	return t.CompletionPolicy.Type != v1alpha1.Never && t.CompletionPolicy.ActiveDeadlineSeconds != nil &&
		int64(*t.PullPolicy.TimeoutSeconds) > *t.CompletionPolicy.ActiveDeadlineSeconds
}

// forbidSet is an error if a field is set.
func forbidSet[T any](path *field.Path, value *T, reason string) field.ErrorList {
	if value == nil {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, reason)}
}
