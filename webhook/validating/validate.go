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
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/webhook/internal/review"
)

// maxImages bounds the images of a job, after merging with imagePullJobTemplate.
const maxImages = 255

// Validate returns everything that is wrong with the spec of a job, each with its path and how to mend it. Defaults need not have
// been filled in. It reads nothing but the job, and does not change it.
func Validate(job *v1alpha1.ImageListPullJob) field.ErrorList {
	var errs field.ErrorList
	for i, image := range job.Spec.Images {
		if _, err := v1alpha1.ParseImageKey(image); err != nil {
			errs = append(errs, field.Invalid(field.NewPath("spec", "images").Index(i), review.ShortenImage(image), err.Error()))
		}
	}
	return errs
}
