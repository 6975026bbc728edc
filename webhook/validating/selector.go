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
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/webhook/internal/review"
)

// Bounds of the CRD schema.
const (
	maxNodeNames      = 5000
	maxSelectorTerms  = 64
	maxSelectorValues = 64
)

var operators = []metav1.LabelSelectorOperator{
	metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist,
}

// validateSelectors checks both selectors of a template.
func validateSelectors(t *v1alpha1.ImagePullJobTemplate, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s := t.Selector; s != nil {
		here := path.Child("selector")
		if s.Names != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0 {
			errs = append(errs, field.Forbidden(here.Child("names"),
				"cannot be combined with matchLabels or matchExpressions: choose nodes by name or by label"))
		}
		if s.Names != nil && len(s.Names) == 0 {
			errs = append(errs, field.Invalid(here.Child("names"), field.OmitValueType{},
				"must not be empty: name a node, or leave names out to choose all nodes"))
		}
		errs = append(errs, validateNames(s.Names, maxNodeNames, "Node", here.Child("names"))...)
		errs = append(errs, validateLabelSelector(&s.LabelSelector, here)...)
	}
	if t.PodSelector != nil {
		here := path.Child("podSelector")
		if t.Selector != nil {
			errs = append(errs, field.Forbidden(here, "cannot be combined with selector: remove one"))
		}
		errs = append(errs, validateLabelSelector(&t.PodSelector.LabelSelector, here)...)
	}
	return errs
}

func validateLabelSelector(s *v1alpha1.LabelSelector, path *field.Path) field.ErrorList {
	errs := tooMany(path.Child("matchLabels"), len(s.MatchLabels), maxSelectorTerms, "remove some")
	for _, key := range head(sortedKeys(s.MatchLabels), maxSelectorTerms) {
		here := pathOfKey(path.Child("matchLabels"), key)
		errs = append(errs, metav1validation.ValidateLabelName(key, here)...)
		for _, wrong := range validation.IsValidLabelValue(string(s.MatchLabels[key])) {
			errs = append(errs, field.Invalid(here, s.MatchLabels[key], wrong))
		}
	}
	errs = append(errs, tooMany(path.Child("matchExpressions"), len(s.MatchExpressions), maxSelectorTerms, "remove some")...)
	for i := range head(s.MatchExpressions, maxSelectorTerms) {
		errs = append(errs, validateRequirement(&s.MatchExpressions[i], path.Child("matchExpressions").Index(i))...)
	}
	return errs
}

func validateRequirement(r *v1alpha1.LabelSelectorRequirement, path *field.Path) field.ErrorList {
	errs := tooMany(path.Child("values"), len(r.Values), maxSelectorValues, "remove some")
	requirement := metav1.LabelSelectorRequirement{Key: r.Key, Operator: r.Operator}
	for _, value := range head(r.Values, maxSelectorValues) {
		requirement.Values = append(requirement.Values, string(value))
	}
	for _, err := range metav1validation.ValidateLabelSelectorRequirement(requirement,
		metav1validation.LabelSelectorValidationOptions{}, path) {
		if strings.HasSuffix(err.Field, ".operator") {
			err = field.NotSupported(path.Child("operator"), r.Operator, operators)
		}
		errs = append(errs, err)
	}
	return errs
}

// sortedKeys makes the order of errors that of the keys and not that of a map.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func pathOfKey(path *field.Path, key string) *field.Path {
	return path.Key(review.Shorten(key))
}
