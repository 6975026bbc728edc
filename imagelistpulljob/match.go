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

package imagelistpulljob

import (
	"slices"
	"strings"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// imageState is a wanted image with what the API holds for it.
type imageState struct {
	wantedImage
	// child is the live ImagePullJob that is counted; nil: none.
	child *kruisev1alpha1.ImagePullJob
	// adopt says that child was made by another controller for the same intent, and is not marked as ours yet.
	adopt bool
	// blocked says that a predecessor is not gone yet: no child is made before.
	blocked bool
	// terminating is a predecessor that is being deleted; nil: none.
	terminating *kruisev1alpha1.ImagePullJob
}

// matchChildren assigns the children to the wanted images, and returns those that no image wants: of a removed image, of another
// template, or one too many. The oldest child that matches an image stays.
func matchChildren(images []wantedImage, children []*kruisev1alpha1.ImagePullJob) ([]imageState, []*kruisev1alpha1.ImagePullJob) {
	states := make([]imageState, len(images))
	byKey := make(map[v1alpha1.ImageKey]*imageState, len(images))
	for i := range images {
		states[i].wantedImage = images[i]
		byKey[images[i].key] = &states[i]
	}

	children = slices.Clone(children)
	slices.SortFunc(children, byAge)
	var unwanted []*kruisev1alpha1.ImagePullJob
	for _, child := range children {
		state := byKey[childKey(child)]
		switch {
		case state == nil:
			unwanted = append(unwanted, child)
		case child.DeletionTimestamp != nil:
			state.blocked, state.terminating = true, child
		case state.child != nil || intentOf(child) != state.hash:
			state.blocked = true
			unwanted = append(unwanted, child)
		default:
			state.child = child
			state.adopt = child.Annotations[templateHashAnnotation] == ""
		}
	}
	unwanted = slices.DeleteFunc(unwanted, func(child *kruisev1alpha1.ImagePullJob) bool { return child.DeletionTimestamp != nil })
	return states, unwanted
}

func byAge(a, b *kruisev1alpha1.ImagePullJob) int {
	if age := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); age != 0 {
		return age
	}
	return strings.Compare(a.Name, b.Name)
}

// childKey returns the image that a child is for: the intended one, which a webhook may have mutated in the spec.
func childKey(child *kruisev1alpha1.ImagePullJob) v1alpha1.ImageKey {
	if image := child.Annotations[imageAnnotation]; image != "" {
		return keyOf(image)
	}
	return keyOf(child.Spec.Image)
}

// intentOf returns the hash of the template that a child was made for. A child without our annotation was made by Kruise's own
// controller, which copies the template of the list job: its spec stands for the intent. "" matches no template.
func intentOf(child *kruisev1alpha1.ImagePullJob) string {
	if hash := child.Annotations[templateHashAnnotation]; hash != "" {
		return hash
	}
	observed := &v1alpha1.ImageListPullJob{}
	if err := convert(child.Spec.ImagePullJobTemplate, &observed.Spec.ImagePullJobTemplate); err != nil {
		return ""
	}
	observed.Spec.Images = []string{child.Spec.Image}
	v1alpha1.SetDefaults(observed)
	hash, err := hashTemplate(&observed.Spec.ImageTemplates()[0].Template)
	if err != nil {
		return ""
	}
	return hash
}
