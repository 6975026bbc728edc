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
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// suffixLength is how many characters the name of a child adds to that of its list job, besides the hyphen.
const suffixLength = 10

// wantedImage is an image that the spec asks for.
type wantedImage struct {
	// image as the spec spells it.
	image string
	key   v1alpha1.ImageKey
	// template that holds for the image: merged and defaulted, before any clamping to what is left of a deadline.
	template kruisev1alpha1.ImagePullJobTemplate
	// hash of the template.
	hash string
	// childName is the name of the ImagePullJob that is made for the image.
	childName string
}

// wantedImages lists the images that the spec asks for, in list order. Of two spellings of one image, which admission refuses,
// the first counts. The spec must have been defaulted.
func wantedImages(job *v1alpha1.ImageListPullJob) ([]wantedImage, error) {
	all := job.Spec.ImageTemplates()
	wanted := make([]wantedImage, 0, len(all))
	seen := make(map[v1alpha1.ImageKey]bool, len(all))
	for i := range all {
		key := keyOf(all[i].Image)
		if seen[key] {
			continue
		}
		seen[key] = true
		hash, err := hashTemplate(&all[i].Template)
		if err != nil {
			return nil, fmt.Errorf("hash the template of image %q: %w", all[i].Image, err)
		}
		template := kruisev1alpha1.ImagePullJobTemplate{}
		if err := convert(&all[i].Template, &template); err != nil {
			return nil, fmt.Errorf("convert the template of image %q: %w", all[i].Image, err)
		}
		wanted = append(wanted, wantedImage{
			image:     all[i].Image,
			key:       key,
			template:  template,
			hash:      hash,
			childName: childName(job.Name, job.UID, key, hash),
		})
	}
	return wanted, nil
}

// keyOf returns the key of an image. What is no image reference, which admission refuses, is its own key.
func keyOf(image string) v1alpha1.ImageKey {
	key, err := v1alpha1.ParseImageKey(image)
	if err != nil {
		return v1alpha1.ImageKey{Name: image}
	}
	return key
}

// convert turns a template of ours into that of kruise-api, or the other way: the JSON of both is the same.
func convert(from, to any) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, to)
}

// hashTemplate identifies what a change of which restarts pulls: all but parallelism, deadline and TTL. Lists that are sets
// count as such. It is taken of our own type, since the host chooses the version of kruise-api. The template must be a defaulted one.
func hashTemplate(template *v1alpha1.ImagePullJobTemplate) (string, error) {
	t := template.DeepCopy()
	t.Parallelism = nil
	t.CompletionPolicy = &v1alpha1.CompletionPolicy{Type: t.CompletionPolicy.Type}
	slices.Sort(t.PullSecrets)
	if t.Selector != nil {
		slices.Sort(t.Selector.Names)
	}
	raw, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// hashSpec identifies the set of images and templates: what a finished job re-opens for when it changes.
func hashSpec(images []wantedImage) string {
	set := make([]string, len(images))
	for i := range images {
		set[i] = images[i].key.String() + " " + images[i].hash
	}
	slices.Sort(set)
	sum := sha256.Sum256([]byte(strings.Join(set, "\n")))
	return hex.EncodeToString(sum[:16])
}

// childName derives a valid name. It differs for another list job of the same name (UID), another image and another template.
func childName(job string, uid types.UID, key v1alpha1.ImageKey, hash string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(uid), key.String(), hash}, "\n")))
	suffix := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:suffixLength]
	if longest := validation.DNS1123SubdomainMaxLength - 1 - suffixLength; len(job) > longest {
		job = strings.TrimRight(job[:longest], "-.")
	}
	return job + "-" + suffix
}

// parallelismOf returns how many nodes pull at once by a template; absent means the host's default, which is 1.
func parallelismOf(template *kruisev1alpha1.ImagePullJobTemplate) int {
	parallelism := ptr.Deref(template.Parallelism, intstr.FromInt32(1))
	return max(parallelism.IntValue(), 0)
}
