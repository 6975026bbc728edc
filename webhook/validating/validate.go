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
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/webhook/internal/review"
)

// enough errors were found: a spec of the size that the API server lets through can hold a million.
const enough = 1000

// Validate returns everything that is wrong with the spec of a job, each with its path and how to mend it. Defaults need not have
// been filled in. Of a list that is too long, what exceeds the bound is not looked at. Validate reads nothing but the job, and
// does not change it.
func Validate(job *v1alpha1.ImageListPullJob) field.ErrorList {
	job = job.DeepCopy()
	v1alpha1.SetDefaults(job)
	spec, path := &job.Spec, field.NewPath("spec")

	errs := validateImages(spec, path)
	errs = append(errs, validateTemplate(&spec.ImagePullJobTemplate, path)...)
	errs = append(errs, validateCompletion(spec, path)...)
	errs = append(errs, validateOverrides(spec, path.Child("imagePullJobTemplate"))...)
	for _, err := range errs {
		shortenValue(err)
	}
	return errs
}

// validateOverrides checks each override by itself, and the template that is effective for its image.
func validateOverrides(spec *v1alpha1.ImageListPullJobSpec, path *field.Path) field.ErrorList {
	if len(spec.ImageOverrides) > maxImages {
		return nil // validateImages refused it
	}
	var errs field.ErrorList
	for i, effective := range effectivePolicies(spec) {
		override := &spec.ImageOverrides[i].ImagePullJobTemplate
		errs = append(errs, validateTemplate(override, path.Index(i))...)
		errs = append(errs, validateOverriddenCompletion(spec.CompletionPolicy, override, &effective.Template, path.Index(i))...)
		if len(errs) > enough {
			break
		}
	}
	return errs
}

// effectivePolicies returns the policies that are effective for the image of each override. The rest of a template can be large,
// and no two fields of it that clash can come from different places.
func effectivePolicies(spec *v1alpha1.ImageListPullJobSpec) []v1alpha1.ImageTemplate {
	policies := func(t *v1alpha1.ImagePullJobTemplate) v1alpha1.ImagePullJobTemplate {
		return v1alpha1.ImagePullJobTemplate{PullPolicy: t.PullPolicy, CompletionPolicy: t.CompletionPolicy}
	}
	slim := v1alpha1.ImageListPullJobSpec{ImagePullJobTemplate: policies(&spec.ImagePullJobTemplate)}
	for i := range spec.ImageOverrides {
		override := &spec.ImageOverrides[i]
		slim.ImageOverrides = append(slim.ImageOverrides, v1alpha1.ImageOverride{
			Image: override.Image, ImagePullJobTemplate: policies(&override.ImagePullJobTemplate),
		})
	}
	return slim.ImageTemplates()
}

// shortenValue bounds what an error repeats.
func shortenValue(err *field.Error) {
	if value := reflect.ValueOf(err.BadValue); value.Kind() == reflect.String {
		err.BadValue = review.Shorten(value.String())
	}
}

// tooMany is an error if there are more than limit of something, which mend says how to reduce.
func tooMany(path *field.Path, actual, limit int, mend string) field.ErrorList {
	if actual <= limit {
		return nil
	}
	err := field.TooMany(path, actual, limit)
	err.Detail = fmt.Sprintf("must have at most %d: %s", limit, mend)
	return field.ErrorList{err}
}

// duplicate is an error that says what a value doubles and how to mend it.
func duplicate(path *field.Path, value, mend string) *field.Error {
	err := field.Duplicate(path, value)
	err.Detail = mend
	return err
}

// outside is an error if a number that is set lies outside its range.
func outside[T int32 | int64](path *field.Path, value *T, low, high T, mend string) field.ErrorList {
	if value == nil || low <= *value && *value <= high {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, fmt.Sprintf("must be %d to %d%s", low, high, mend))}
}

// head returns at most the first limit items.
func head[T any](items []T, limit int) []T {
	return items[:min(len(items), limit)]
}
