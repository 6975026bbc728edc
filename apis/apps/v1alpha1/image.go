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

package v1alpha1

import (
	"fmt"
	"strings"

	"github.com/distribution/reference"
)

// ImageKey is what makes two references one image to a node: a NodeImage is keyed on it. nginx, docker.io/library/nginx:latest
// and index.docker.io/nginx have one key.
// +kubebuilder:object:generate=false
type ImageKey struct {
	// Name is the familiar name, without docker.io/library/.
	Name string
	// Tag is the tag, latest where none was given, or the digest, beside which a tag is ignored.
	Tag string
}

// ParseImageKey returns the key of an image reference. It is an error if image is no valid reference.
func ParseImageKey(image string) (ImageKey, error) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return ImageKey{}, fmt.Errorf("not an image reference like name, name:tag or name@sha256:…: %w", err)
	}
	key := ImageKey{Name: reference.FamiliarName(named)}
	switch ref := reference.TagNameOnly(named).(type) {
	case reference.Digested:
		key.Tag = ref.Digest().String()
	case reference.Tagged:
		key.Tag = ref.Tag()
	}
	return key, nil
}

// String returns the key as an image reference.
func (k ImageKey) String() string {
	if strings.Contains(k.Tag, ":") {
		return k.Name + "@" + k.Tag
	}
	return k.Name + ":" + k.Tag
}
