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

package fakenodes

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// answer returns the status that a node gives to what its NodeImage asks for, and when it has more to say; zero: not before
// something changes.
func answer(node *kruisev1alpha1.NodeImage, s *script, now time.Time) (kruisev1alpha1.NodeImageStatus, time.Duration) {
	var status kruisev1alpha1.NodeImageStatus
	var wake time.Duration
	for name, image := range node.Spec.Images {
		var tags []kruisev1alpha1.ImageTagStatus
		for i := range image.Tags {
			status.Desired++
			tag := &image.Tags[i]
			key := v1alpha1.ImageKey{Name: name, Tag: tag.Tag}
			answered, wait := pull(key, tag.Version, reported(node, name, tag), s.outcome(key, node.Name), now)
			if answered != nil {
				tags = append(tags, *answered)
				count(&status, answered.Phase)
			}
			if wait > 0 && (wake == 0 || wait < wake) {
				wake = wait
			}
		}
		if len(tags) == 0 {
			continue
		}
		slices.SortFunc(tags, func(a, b kruisev1alpha1.ImageTagStatus) int { return strings.Compare(a.Tag, b.Tag) })
		if status.ImageStatuses == nil {
			status.ImageStatuses = map[string]kruisev1alpha1.ImageStatus{}
		}
		status.ImageStatuses[name] = kruisev1alpha1.ImageStatus{Tags: tags}
	}
	return status, wake
}

func count(status *kruisev1alpha1.NodeImageStatus, phase kruisev1alpha1.ImagePullPhase) {
	switch phase {
	case kruisev1alpha1.ImagePhaseSucceeded:
		status.Succeeded++
	case kruisev1alpha1.ImagePhaseFailed:
		status.Failed++
	case kruisev1alpha1.ImagePhasePulling, kruisev1alpha1.ImagePhaseWaiting:
		status.Pulling++
	}
}

// reported returns what the status says already of a tag; nil if nothing, or if it is about another version.
func reported(node *kruisev1alpha1.NodeImage, name string, tag *kruisev1alpha1.ImageTagSpec) *kruisev1alpha1.ImageTagStatus {
	for _, status := range node.Status.ImageStatuses[name].Tags {
		if status.Tag == tag.Tag && status.Version == tag.Version {
			return &status
		}
	}
	return nil
}

// pull returns how a pull stands now; nil: nothing is said of it. before is how it stood when it was last reported.
func pull(
	key v1alpha1.ImageKey, version int64, before *kruisev1alpha1.ImageTagStatus, o Outcome, now time.Time,
) (*kruisev1alpha1.ImageTagStatus, time.Duration) {
	if o.silent || before != nil && before.CompletionTime != nil {
		return before, 0
	}
	status := before
	if status == nil {
		status = &kruisev1alpha1.ImageTagStatus{
			Tag: key.Tag, Version: version, Phase: kruisev1alpha1.ImagePhasePulling, StartTime: wholeSeconds(now),
		}
	}
	if o.hangs {
		return status, 0
	}
	if left := status.StartTime.Add(o.after).Sub(now); left > 0 {
		return status, left
	}
	status.CompletionTime = wholeSeconds(now)
	if o.failure != "" {
		status.Phase, status.Message = kruisev1alpha1.ImagePhaseFailed, o.failure
		return status, 0
	}
	status.Phase, status.Progress = kruisev1alpha1.ImagePhaseSucceeded, 100
	status.ImageID = fmt.Sprintf("%s@sha256:%x", key.Name, sha256.Sum256([]byte(key.String())))
	return status, 0
}

// wholeSeconds is the time as the API keeps it, so that an answer equals what is read back of it.
func wholeSeconds(t time.Time) *metav1.Time {
	return &metav1.Time{Time: t.Truncate(time.Second)}
}
