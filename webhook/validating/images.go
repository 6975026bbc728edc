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
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/webhook/internal/review"
)

const (
	// maxImages bounds the images of a job, after merging with imagePullJobTemplate.
	maxImages = 255
	// maxImageLength bounds an image reference, in bytes.
	maxImageLength = 512
)

// mention is where an image was first named, and how.
type mention struct {
	image string
	path  *field.Path
}

// validateImages checks the references in images and imagePullJobTemplate: their syntax, number, and that no two are one image.
func validateImages(spec *v1alpha1.ImageListPullJobSpec, path *field.Path) field.ErrorList {
	errs := validateImageCount(spec, path)
	listed := make(map[v1alpha1.ImageKey]mention)
	for i, image := range head(spec.Images, maxImages) {
		here := path.Child("images").Index(i)
		key, err := imageKey(image, here)
		if err != nil {
			errs = append(errs, err)
		} else if first, ok := listed[key]; ok {
			errs = append(errs, duplicate(here, image, fmt.Sprintf("the same image as %q in %s: remove one", first.image, first.path)))
		} else {
			listed[key] = mention{image, here}
		}
	}
	overridden := make(map[v1alpha1.ImageKey]mention)
	for i := range head(spec.ImageOverrides, maxImages) {
		image, here := spec.ImageOverrides[i].Image, path.Child("imagePullJobTemplate").Index(i).Child("image")
		key, err := imageKey(image, here)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if first, ok := overridden[key]; ok {
			errs = append(errs, duplicate(here, image, fmt.Sprintf("the same image as %q in %s: merge the two overrides", first.image, first.path)))
			continue
		}
		overridden[key] = mention{image, here}
		if first, ok := listed[key]; ok && first.image != image {
			errs = append(errs, duplicate(here, image, fmt.Sprintf("the same image as %q in %s: spell it as there", first.image, first.path)))
		}
	}
	return errs
}

// validateImageCount counts by spelling: what is one image in two spellings is refused anyway.
func validateImageCount(spec *v1alpha1.ImageListPullJobSpec, path *field.Path) field.ErrorList {
	const mend = "split the list into several jobs"
	if len(spec.Images)+len(spec.ImageOverrides) == 0 {
		return field.ErrorList{field.Required(path.Child("images"), "name at least one image, such as nginx or busybox:1.35")}
	}
	errs := tooMany(path.Child("images"), len(spec.Images), maxImages, mend)
	errs = append(errs, tooMany(path.Child("imagePullJobTemplate"), len(spec.ImageOverrides), maxImages, mend)...)
	if len(errs) > 0 {
		return errs
	}
	names := make(map[string]bool)
	for _, image := range spec.Images {
		names[image] = true
	}
	for i := range spec.ImageOverrides {
		names[spec.ImageOverrides[i].Image] = true
	}
	return tooMany(path.Child("images"), len(names), maxImages, mend+" (images that only imagePullJobTemplate names count)")
}

// imageKey is ParseImageKey with an error for people, which does not repeat a login that the reference holds.
func imageKey(image string, path *field.Path) (v1alpha1.ImageKey, *field.Error) {
	if image == "" {
		return v1alpha1.ImageKey{}, field.Required(path, "name an image, or remove the entry")
	}
	if len(image) > maxImageLength {
		return v1alpha1.ImageKey{}, field.Invalid(path, review.ShortenImage(image),
			fmt.Sprintf("must have at most %d characters", maxImageLength))
	}
	key, err := v1alpha1.ParseImageKey(image)
	if err != nil {
		return key, field.Invalid(path, review.ShortenImage(image), mendReference(image))
	}
	return key, nil
}

// mendReference says what to do about a reference that does not parse.
func mendReference(image string) string {
	_, path, _ := strings.Cut(image, "/")
	switch {
	case strings.Contains(image, "://"):
		return "must be an image reference: remove the scheme, such as https://"
	case strings.TrimSpace(image) != image:
		return "must be an image reference: remove the spaces around it"
	case strings.ToLower(path) != path || path == "" && strings.ToLower(image) != image:
		return "must be an image reference, such as name, name:tag or name@sha256:<64 hexadecimal digits>: names are in lower case"
	default:
		return "must be an image reference, such as name, name:tag or name@sha256:<64 hexadecimal digits>"
	}
}
