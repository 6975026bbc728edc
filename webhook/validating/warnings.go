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

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

const (
	// maxNamed is how many images a warning names.
	maxNamed = 3
	// maxNameLength bounds each of them, in bytes, so that a warning stays below the 256 characters that clients are sure to show.
	maxNameLength = 30
)

// warnings returns what is valid, but likely not meant.
func warnings(job *v1alpha1.ImageListPullJob) []string {
	job = job.DeepCopy()
	v1alpha1.SetDefaults(job)
	var all []string
	if ttl := job.Spec.CompletionPolicy.TTLSecondsAfterFinished; ttl != nil && *ttl == 0 {
		all = append(all, "spec.completionPolicy.ttlSecondsAfterFinished: 0 does not delete; leave it out to keep the job, "+
			"or set 1 or more to delete it that many seconds after it has finished")
	}
	var latest, slow []string
	for _, image := range job.Spec.ImageTemplates() {
		if isLatest(image.Image) && image.Template.ImagePullPolicy == v1alpha1.PullIfNotPresent {
			latest = append(latest, image.Image)
		}
		if isSlow(&image.Template) {
			slow = append(slow, image.Image)
		}
	}
	if len(latest) > 0 {
		all = append(all, "tag latest with imagePullPolicy IfNotPresent: nodes that have an older "+few(latest)+
			" do not pull it again; name a version, or set Always")
	}
	if len(slow) > 0 {
		all = append(all, "parallelism is at most 1 for "+few(slow)+
			": nodes / parallelism x pull time must stay below timeoutSeconds x backoffLimit + 300 s")
	}
	return all
}

func isLatest(image string) bool {
	key, err := v1alpha1.ParseImageKey(image)
	return err == nil && key.Tag == "latest"
}

// isSlow says whether nodes pull one after the other, and nobody has counted them.
func isSlow(t *v1alpha1.ImagePullJobTemplate) bool {
	if t.Selector != nil && len(t.Selector.Names) > 0 {
		return false
	}
	return t.Parallelism == nil || t.Parallelism.IntValue() <= 1
}

// few lists at most the first images by name.
func few(images []string) string {
	named := make([]string, 0, maxNamed)
	for _, image := range head(images, maxNamed) {
		if len(image) > maxNameLength {
			image = "…" + image[len(image)-maxNameLength:] // the end tells images of one registry apart
		}
		named = append(named, image)
	}
	list := strings.Join(named, ", ")
	if more := len(images) - maxNamed; more > 0 {
		list = fmt.Sprintf("%s and %d more", list, more)
	}
	return list
}
