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
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Bounds of the CRD schema, repeated so that one answer names everything.
const (
	maxPullSecrets        = 64
	maxTimeoutSeconds     = 86400
	maxBackoffLimit       = 1000
	maxSandboxEntries     = 64
	maxSandboxValueLength = 4096
)

var digits = regexp.MustCompile(`^[0-9]{1,9}$`)

// validateTemplate checks a template, of the job or of one image, but for its completionPolicy.
func validateTemplate(t *v1alpha1.ImagePullJobTemplate, path *field.Path) field.ErrorList {
	errs := validateNames(t.PullSecrets, maxPullSecrets, "Secret", path.Child("pullSecrets"))
	errs = append(errs, validateSelectors(t, path)...)
	errs = append(errs, validateParallelism(t.Parallelism, path.Child("parallelism"))...)
	if t.PullPolicy != nil {
		pullPolicy := path.Child("pullPolicy")
		errs = append(errs, outside(pullPolicy.Child("timeoutSeconds"), t.PullPolicy.TimeoutSeconds, 1, maxTimeoutSeconds, " seconds")...)
		errs = append(errs, outside(pullPolicy.Child("backoffLimit"), t.PullPolicy.BackoffLimit, 0, maxBackoffLimit, " repeated attempts")...)
	}
	if t.SandboxConfig != nil {
		sandbox := path.Child("sandboxConfig")
		errs = append(errs, validateSandbox(t.SandboxConfig.Labels, sandbox.Child("labels"))...)
		errs = append(errs, validateSandbox(t.SandboxConfig.Annotations, sandbox.Child("annotations"))...)
	}
	policies := []v1alpha1.ImagePullPolicy{v1alpha1.PullAlways, v1alpha1.PullIfNotPresent}
	if t.ImagePullPolicy != "" && !slices.Contains(policies, t.ImagePullPolicy) {
		errs = append(errs, field.NotSupported(path.Child("imagePullPolicy"), t.ImagePullPolicy, policies))
	}
	return errs
}

// validateNames checks a set of names of objects of a kind.
func validateNames(names []string, limit int, kind string, path *field.Path) field.ErrorList {
	errs := tooMany(path, len(names), limit, "remove some")
	seen := make(map[string]int, len(names))
	for i, name := range head(names, limit) {
		first, double := seen[name]
		if name == "" {
			errs = append(errs, field.Required(path.Index(i), "name a "+kind+", or remove the entry"))
			continue
		}
		if double {
			errs = append(errs, duplicate(path.Index(i), name, fmt.Sprintf("the same as %s: remove one", path.Index(first))))
			continue
		}
		seen[name] = i
		if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
			errs = append(errs, field.Invalid(path.Index(i), name, "cannot be the name of a "+kind+": "+wrong[0]))
		}
	}
	return errs
}

func validateParallelism(parallelism *intstr.IntOrString, path *field.Path) field.ErrorList {
	switch {
	case parallelism == nil:
		return nil
	case parallelism.Type == intstr.String && !digits.MatchString(parallelism.StrVal):
		return field.ErrorList{field.Invalid(path, parallelism.StrVal,
			"must be a whole number of nodes, such as 5; percentages are not supported, and 0 pauses")}
	case parallelism.Type == intstr.Int && parallelism.IntVal < 0:
		return field.ErrorList{field.Invalid(path, parallelism.IntVal, "must be 0 or more; 0 pauses")}
	}
	return nil
}

func validateSandbox(entries map[string]v1alpha1.SandboxConfigValue, path *field.Path) field.ErrorList {
	if errs := tooMany(path, len(entries), maxSandboxEntries, "remove some"); len(errs) > 0 {
		return errs
	}
	var errs field.ErrorList
	for _, key := range sortedKeys(entries) {
		if length := len([]rune(entries[key])); length > maxSandboxValueLength {
			errs = append(errs, field.Invalid(pathOfKey(path, key), fmt.Sprintf("%d characters", length),
				fmt.Sprintf("must have at most %d characters", maxSandboxValueLength)))
		}
	}
	return errs
}
