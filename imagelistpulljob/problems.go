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
	"fmt"
	"strings"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
)

// releaseTime is how long the host's ImagePullJob controller may take to release a child that is being deleted: it holds every
// child with a finalizer for a moment.
const releaseTime = time.Minute

// problem is something that keeps a child from being made, for the user to read: in the conditions and as a Warning event.
type problem struct {
	// reason of the event.
	reason  string
	message string
}

func nameTaken(child *kruisev1alpha1.ImagePullJob) problem {
	return problem{EventNameTaken, fmt.Sprintf("ImagePullJob %s, which image %s needs, belongs to somebody else or to nobody: delete it or rename this job",
		child.Name, child.Spec.Image)}
}

func overdueRelease(child *kruisev1alpha1.ImagePullJob, now time.Time) bool {
	return !child.DeletionTimestamp.Add(releaseTime).After(now)
}

// awaitRelease complains of a child that should be gone, or says in how long it will.
func awaitRelease(child *kruisev1alpha1.ImagePullJob, now time.Time) ([]problem, time.Duration) {
	if !overdueRelease(child, now) {
		return nil, child.DeletionTimestamp.Add(releaseTime).Sub(now)
	}
	return []problem{{EventFailedCreate, fmt.Sprintf(
		"ImagePullJob %s, which image %s waits for, has been in deletion since %s, held by its finalizers (%s): does what set them run?",
		child.Name, child.Spec.Image, child.DeletionTimestamp.UTC().Format(time.RFC3339), strings.Join(child.Finalizers, ", "))}}, 0
}
