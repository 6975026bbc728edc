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

package framework

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/gomega/types"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

type job = *v1alpha1.ImageListPullJob

func statusOf(j job) any {
	return map[string]any{"generation": j.Generation, "status": j.Status}
}

// HaveFinished matches a job that, as it is specified now, has finished for this reason. Once it has finished for another one,
// nothing is waited for.
func HaveFinished(reason string) types.GomegaMatcher {
	return &matcher[job]{
		want:  "the job to have finished as " + reason,
		match: func(j job) bool { return finishedAs(j) == reason },
		final: func(j job) bool { return finishedAs(j) != "" },
		show:  statusOf,
	}
}

// finishedAs returns the reason for which a job has finished; "" if it runs, or was edited since.
func finishedAs(j job) string {
	finished := meta.FindStatusCondition(j.Status.Conditions, v1alpha1.ConditionFinished)
	if finished == nil || finished.Status != metav1.ConditionTrue || j.Status.ObservedGeneration != j.Generation {
		return ""
	}
	return finished.Reason
}

// HaveCondition matches a job with this condition.
func HaveCondition(kind string, status metav1.ConditionStatus, reason string) types.GomegaMatcher {
	return &matcher[job]{
		want: fmt.Sprintf("the condition %s to be %s for the reason %s", kind, status, reason),
		match: func(j job) bool {
			found := meta.FindStatusCondition(j.Status.Conditions, kind)
			return found != nil && found.Status == status && found.Reason == reason
		},
		show: statusOf,
	}
}

// HaveCounters matches a job whose status counts these numbers of images.
func HaveCounters(desired, active, completed, succeeded int32) types.GomegaMatcher {
	want := [4]int32{desired, active, completed, succeeded}
	return &matcher[job]{
		want: fmt.Sprintf("%d images desired, %d active, %d completed, %d succeeded", desired, active, completed, succeeded),
		match: func(j job) bool {
			return want == [4]int32{j.Status.Desired, j.Status.Active, j.Status.Completed, j.Status.Succeeded}
		},
		show: statusOf,
	}
}

// HaveObserved matches a job whose status is about its spec as it is now.
func HaveObserved() types.GomegaMatcher {
	return &matcher[job]{
		want:  "the status to be about the current generation",
		match: func(j job) bool { return j.Status.ObservedGeneration == j.Generation },
		show:  statusOf,
	}
}

// maxFailedNodes is how many nodes a status names of those on which an image failed.
const maxFailedNodes = 10

// HaveFailedImage matches a job whose status lists an image as failed on these nodes, for a reason that contains message.
func HaveFailedImage(image, message string, nodes ...string) types.GomegaMatcher {
	nodes = slices.Sorted(slices.Values(nodes))
	named := nodes[:min(len(nodes), maxFailedNodes)]
	return &matcher[job]{
		want: fmt.Sprintf("image %s to have failed on %s because of %q", image, strings.Join(nodes, ", "), message),
		match: func(j job) bool {
			return slices.ContainsFunc(j.Status.FailedImagePullJobStatuses, func(f v1alpha1.FailedImagePullJobStatus) bool {
				return f.Image == image && int(f.Failed) == len(nodes) && slices.Equal(f.FailedNodes, named) && strings.Contains(f.Message, message)
			})
		},
		show: statusOf,
	}
}

// HaveRunOutOfTime matches jobs that list an image as failed on so many nodes because of the deadline. Its ImagePullJob ends in the same
// second: if before the list job, it counts as completed and its nodes are named.
func HaveRunOutOfTime(image string, nodes int) types.GomegaMatcher {
	return &matcher[job]{
		want: fmt.Sprintf("image %s to have failed on %d nodes when activeDeadlineSeconds passed", image, nodes),
		match: func(j job) bool {
			return slices.ContainsFunc(j.Status.FailedImagePullJobStatuses, func(f v1alpha1.FailedImagePullJobStatus) bool {
				return f.Image == image && int(f.Failed) == nodes && strings.Contains(f.Message, "activeDeadlineSeconds")
			})
		},
		show: statusOf,
	}
}

// BeForImages matches children, by image, that are for exactly these images.
func BeForImages(images ...string) types.GomegaMatcher {
	type children = map[string]kruisev1alpha1.ImagePullJob
	images = slices.Sorted(slices.Values(images))
	return &matcher[children]{
		want:  "one ImagePullJob for each of " + strings.Join(images, ", "),
		match: func(c children) bool { return slices.Equal(slices.Sorted(maps.Keys(c)), images) },
		show: func(c children) any {
			statuses := map[string]any{}
			for image, child := range c {
				statuses[image] = map[string]any{"name": child.Name, "status": child.Status}
			}
			return statuses
		},
	}
}

// BePulledOn matches Pulls that have succeeded on exactly these nodes.
func BePulledOn(nodes ...string) types.GomegaMatcher {
	nodes = slices.Sorted(slices.Values(nodes))
	return &matcher[Pulls]{
		want:  "a successful pull on exactly: " + strings.Join(nodes, ", "),
		match: func(p Pulls) bool { return slices.Equal(p.on(kruisev1alpha1.ImagePhaseSucceeded), nodes) },
		show:  func(p Pulls) any { return p },
	}
}
