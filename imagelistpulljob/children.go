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
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// patches adopts children of another controller, and tunes unfinished ones to a parallelism or deadline that was edited.
func patches(job *v1alpha1.ImageListPullJob, states []imageState, until deadline) []childPatch {
	var all []childPatch
	for i := range states {
		st := &states[i]
		switch {
		case st.child == nil:
		case st.adopt:
			all = append(all, childPatch{st.child, adoptionPatch(&st.wantedImage, st.child)})
		case !childFinished(job, st.child) && st.child.Annotations[lastAppliedAnnotation] != appliedOf(&st.template, until).annotation():
			all = append(all, childPatch{st.child, tuningPatch(&st.wantedImage, st.child, until)})
		}
	}
	return all
}

// creations lists the children to make, for every image without one, in list order, and how many of them maxConcurrentImages allows
// now. Which of them are made is known only when the API server has answered: one that it refuses takes no place.
func creations(job *v1alpha1.ImageListPullJob, states []imageState, until deadline, now time.Time) ([]*kruisev1alpha1.ImagePullJob, int) {
	limited := job.Spec.MaxConcurrentImages != nil && job.Spec.CompletionPolicy.Type != v1alpha1.Never
	var all []*kruisev1alpha1.ImagePullJob
	for i := range states {
		st := &states[i]
		if st.child != nil || st.blocked {
			continue
		}
		seconds := until.forChild(st.template.CompletionPolicy.ActiveDeadlineSeconds, now)
		if seconds != nil && *seconds < 1 {
			continue
		}
		if limited && parallelismOf(&st.template) == 0 {
			continue // made when it is resumed, or all of these would start at once then
		}
		all = append(all, newChild(job, &st.wantedImage, until, now))
	}
	if !limited {
		return all, len(all)
	}
	return all, min(freePlaces(job, states, now), len(all))
}

// freePlaces returns how many more images may be in progress. A place is held by an unfinished child that pulls onto some node or
// may yet find that it has nodes to pull onto; one that is paused or matched no node holds none, or it could hold it for ever. So
// does a predecessor that is being replaced, as long as it may be expected to go.
func freePlaces(job *v1alpha1.ImageListPullJob, states []imageState, now time.Time) int {
	places := int(*job.Spec.MaxConcurrentImages)
	for i := range states {
		st := &states[i]
		switch {
		case parallelismOf(&st.template) == 0:
		case st.child == nil:
			if st.blocked && (st.terminating == nil || !overdueRelease(st.terminating, now)) {
				places--
			}
		case childFinished(job, st.child):
		case st.child.Status.StartTime == nil || st.child.Status.Desired > 0:
			places--
		}
	}
	return max(places, 0)
}

// childFinished says whether an ImagePullJob is done, on either outcome. One of type Never has no completion time: it is done for
// now when every node that it matches has pulled or failed.
func childFinished(job *v1alpha1.ImageListPullJob, child *kruisev1alpha1.ImagePullJob) bool {
	s := &child.Status
	if job.Spec.CompletionPolicy.Type == v1alpha1.Never {
		return s.StartTime != nil && s.Desired > 0 && s.Desired == s.Succeeded+s.Failed
	}
	return s.CompletionTime != nil
}
