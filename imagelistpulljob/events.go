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
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Reasons of the events on an ImageListPullJob. Each is emitted after the write that it reports has succeeded.
const (
	// EventCreatedImagePullJobs (Normal): ImagePullJobs were created.
	EventCreatedImagePullJobs = "CreatedImagePullJobs"
	// EventDeletedImagePullJobs (Normal): ImagePullJobs that the spec no longer asks for were deleted.
	EventDeletedImagePullJobs = "DeletedImagePullJobs"
	// EventFailedCreate (Warning): an ImagePullJob could not be created; it is tried again.
	EventFailedCreate = "FailedCreate"
	// EventNameTaken (Warning): an ImagePullJob of somebody else has the name that ours would get.
	EventNameTaken = "NameTaken"
	// EventNoNodesMatched (Warning): an image matches no node, so nothing is pulled for it.
	EventNoNodesMatched = "NoNodesMatched"
	// EventDeadlineExceeded (Warning): activeDeadlineSeconds passed before every image was done.
	EventDeadlineExceeded = "DeadlineExceeded"
	// EventCompleted (Normal): every image was pulled on every matching node.
	EventCompleted = "Completed"
	// EventFailed (Warning): the job finished, and some image failed on some node.
	EventFailed = "Failed"
	// EventReopened (Normal): the images or templates of a finished job were edited, and it runs again.
	EventReopened = "Reopened"
	// EventTTLExpired (Normal): the job was deleted, since ttlSecondsAfterFinished passed.
	EventTTLExpired = "TTLExpired"
)

// event is one event on the list job.
type event struct {
	kind, reason, message string
}

// statusEvents lists what is worth an event in the change of a status.
func statusEvents(before, after *v1alpha1.ImageListPullJobStatus) []event {
	finished := meta.FindStatusCondition(after.Conditions, v1alpha1.ConditionFinished)
	if finished == nil {
		return nil
	}
	switch {
	case before.CompletionTime != nil && after.CompletionTime == nil:
		return []event{{corev1.EventTypeNormal, EventReopened, "The images or their template were edited after the job had finished: it runs again"}}
	case before.CompletionTime == nil && after.CompletionTime != nil:
		return []event{finishEvent(finished)}
	case finished.Reason == v1alpha1.ReasonNeverFinishes && newlyWithoutNodes(before, finished):
		return []event{{corev1.EventTypeWarning, EventNoNodesMatched, finished.Message}}
	}
	return nil
}

func finishEvent(finished *metav1.Condition) event {
	switch finished.Reason {
	case v1alpha1.ReasonAllImagesPulled:
		return event{corev1.EventTypeNormal, EventCompleted, finished.Message}
	case v1alpha1.ReasonNoNodesMatched:
		return event{corev1.EventTypeWarning, EventNoNodesMatched, finished.Message}
	case v1alpha1.ReasonDeadlineExceeded:
		return event{corev1.EventTypeWarning, EventDeadlineExceeded, finished.Message}
	default:
		return event{corev1.EventTypeWarning, EventFailed, finished.Message}
	}
}

// newlyWithoutNodes says whether a job of type Never begins to tell that some image matches no node.
func newlyWithoutNodes(before *v1alpha1.ImageListPullJobStatus, after *metav1.Condition) bool {
	old := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionFinished)
	return strings.Contains(after.Message, noNodesPhrase) && (old == nil || !strings.Contains(old.Message, noNodesPhrase))
}

// problemEvents lists the problems that the conditions tell now, and did not tell before.
func problemEvents(before *v1alpha1.ImageListPullJobStatus, problems []problem) []event {
	told := ""
	if old := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionFinished); old != nil {
		told = old.Message
	}
	var events []event
	for _, p := range named(problems) {
		if !strings.Contains(told, p.message) {
			events = append(events, event{corev1.EventTypeWarning, p.reason, p.message})
		}
	}
	return events
}
