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

// Package review reads admission requests for ImageListPullJobs, and words the answer to those that are refused. It is shared by
// the mutating and the validating handler.
package review

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Review is a request to create an ImageListPullJob or to change the spec of one.
type Review struct {
	// Name of the job, or what its name will start with.
	Name string
	// Job as requested, not defaulted, without the values that have a wrong type. It holds the spec and nothing else.
	Job *v1alpha1.ImageListPullJob
	// typeErrors are the values of the spec that have a wrong type.
	typeErrors field.ErrorList
	// unchanged says that the spec means what the stored one does, so that nothing of it is refused.
	unchanged bool
}

// Read returns the review that a request asks for, or nil if it is none of ours: a subresource, another operation, a job that is
// being deleted (finalizers must come off), or an update that leaves the spec as it is (labels and finalizers may change on a stored
// job that today's rules would refuse). It is an error if the request holds no object.
//
// JSON is decoded here and not through the scheme of the manager, which may hold another Go type for the kind.
func Read(req admission.Request) (*Review, error) {
	if req.SubResource != "" || req.Operation != admissionv1.Create && req.Operation != admissionv1.Update {
		return nil, nil
	}
	requested, err := decode(req.Object.Raw)
	if err != nil {
		return nil, fmt.Errorf("decode the object of the request: %w", err)
	}
	if requested.beingDeleted {
		return nil, nil
	}
	review := &Review{Name: requested.name, Job: requested.job, typeErrors: requested.typeErrors}
	if req.Operation == admissionv1.Update {
		// An old object that is no object was not stored by this API: the new one is judged by itself.
		old, err := decode(req.OldObject.Raw)
		if err == nil && reflect.DeepEqual(old.spec, requested.spec) {
			return nil, nil
		}
		review.unchanged = err == nil && sameMeaning(old, requested)
	}
	return review, nil
}

// Errors returns all that is wrong with the job: the values with a wrong type, and what validation found elsewhere. A spec that
// means what the stored one does is not judged again: it may have been stored under other rules.
func (r *Review) Errors(found field.ErrorList) field.ErrorList {
	if r.unchanged {
		return nil
	}
	all := slices.Clone(r.typeErrors)
	for _, err := range found {
		// To validation, a value that was taken out is an empty one.
		if !slices.ContainsFunc(r.typeErrors, func(t *field.Error) bool { return t.Field == err.Field }) {
			all = append(all, err)
		}
	}
	return all
}

// object is an ImageListPullJob as far as admission reads it.
type object struct {
	name         string
	beingDeleted bool
	spec         any // as in the request
	job          *v1alpha1.ImageListPullJob
	typeErrors   field.ErrorList
}

func decode(raw []byte) (object, error) {
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return object{}, err
	}
	if tree == nil {
		return object{}, errors.New("it is null")
	}
	o := object{job: &v1alpha1.ImageListPullJob{}, spec: tree["spec"]}
	if metadata, ok := tree["metadata"].(map[string]any); ok {
		o.beingDeleted = metadata["deletionTimestamp"] != nil
		for _, key := range []string{"generateName", "name"} {
			if name, ok := metadata[key].(string); ok && name != "" {
				o.name = name[:min(len(name), validation.DNS1123SubdomainMaxLength)]
			}
		}
	}
	var fitting any
	fitting, o.typeErrors = fit(o.spec, reflect.TypeFor[v1alpha1.ImageListPullJobSpec](), field.NewPath("spec"))
	if fitting == nil {
		return o, nil
	}
	rest, err := json.Marshal(fitting)
	if err != nil {
		return object{}, err
	}
	return o, json.Unmarshal(rest, &o.job.Spec)
}

// sameMeaning says whether two specs are the same once absent fields have their defaults.
func sameMeaning(a, b object) bool {
	if len(a.typeErrors)+len(b.typeErrors) > 0 {
		return false
	}
	before, after := a.job.DeepCopy(), b.job.DeepCopy()
	v1alpha1.SetDefaults(before)
	v1alpha1.SetDefaults(after)
	return reflect.DeepEqual(before.Spec, after.Spec)
}
