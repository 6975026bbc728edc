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
	"slices"
	"strings"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Bounds that keep the status below 120 KiB, whatever the length of names and the number of failures.
const (
	// maxFailedNodes is how many failed nodes are named for an image.
	maxFailedNodes = 10
	// maxDetailedFailures is for how many failed images nodes and message are given.
	maxDetailedFailures = 40
	// maxMessage is the longest message of a failed image, in characters.
	maxMessage = 128
	// maxFailures is how many failed images are listed: as many as admission lets a job have.
	maxFailures = 255
	// maxFailureBytes is how much room the failed images get by name and number, maxDetailBytes how much their nodes and messages
	// get, and maxFailedBytes all of it together with the list that clients of kruise-api read. Only names far longer than usual
	// reach them; the list then ends early, and the counters still count all.
	maxFailureBytes = 66 << 10
	maxDetailBytes  = 34 << 10
	maxFailedBytes  = 108 << 10
	// entryBytes is about what an entry of a list costs besides its strings.
	entryBytes = 80
)

// unfinishedMessage is why an image counts as failed when the list job ends before its ImagePullJob.
const unfinishedMessage = "not finished when activeDeadlineSeconds passed"

// summary adds up the children of the wanted images.
type summary struct {
	desired, active, completed, succeeded int
	// paused says that the effective parallelism of every image is 0.
	paused bool
	// deadlineExceeded says that images failed because the deadline of the list job passed.
	deadlineExceeded bool
	// failed lists the images that failed on some node.
	failed []v1alpha1.FailedImagePullJobStatus
	// noNodes lists the images that match no node.
	noNodes []string
}

// summarise adds up what the API holds for each image, in list order. reasons holds the messages of new failures; older ones keep
// the message that the status of the job has. start is when the job started.
func summarise(job *v1alpha1.ImageListPullJob, states []imageState, reasons map[string]string, start time.Time) summary {
	known := make(map[string]string, len(job.Status.FailedImagePullJobStatuses))
	for i := range job.Status.FailedImagePullJobStatuses {
		known[job.Status.FailedImagePullJobStatuses[i].Name] = job.Status.FailedImagePullJobStatuses[i].Message
	}
	sum := summary{desired: len(states), paused: len(states) > 0}
	for i := range states {
		st := &states[i]
		sum.paused = sum.paused && parallelismOf(&st.template) == 0
		if st.child == nil {
			continue
		}
		sum.count(job, st)
		nodes := failedOn(job, st.child)
		if nodes == 0 {
			continue
		}
		failure := failureOf(st, nodes)
		failure.Message = reasons[st.child.Name]
		if failure.Message == "" {
			failure.Message = known[st.child.Name]
		}
		if exceedsDeadline(st.child) {
			failure.Message = oneLine(st.child.Status.Message)
			sum.deadlineExceeded = sum.deadlineExceeded || hasDeadlineOf(job, st) && !finishedBefore(st.child, start)
		}
		sum.failed = append(sum.failed, failure)
	}
	return sum
}

func (sum *summary) count(job *v1alpha1.ImageListPullJob, st *imageState) {
	s := &st.child.Status
	if s.Active > 0 {
		sum.active++
	}
	if childFinished(job, st.child) {
		sum.completed++
		if s.Desired == s.Succeeded {
			sum.succeeded++
		}
	}
	if s.StartTime != nil && s.Desired == 0 {
		sum.noNodes = append(sum.noNodes, st.image)
	}
}

// giveUp makes the summary that of a job whose deadline has passed: what has not finished has failed, whatever comes of it later.
func (sum *summary) giveUp(states []imageState) {
	failures := make(map[string]v1alpha1.FailedImagePullJobStatus, len(sum.failed))
	for _, failure := range sum.failed {
		failures[failure.Image] = failure
	}
	sum.active, sum.failed = 0, nil
	for i := range states {
		st := &states[i]
		failure, failed := failures[st.image]
		if st.child == nil || st.child.Status.CompletionTime == nil {
			var nodes int32
			if st.child != nil {
				nodes = st.child.Status.Desired - st.child.Status.Succeeded
			}
			message := failure.Message
			failure, failed = failureOf(st, nodes), true
			failure.Message = message
			if message == "" {
				failure.Message = unfinishedMessage
			}
			sum.deadlineExceeded = true
		}
		if failed {
			sum.failed = append(sum.failed, failure)
		}
	}
}

// failedOn returns on how many nodes an image failed: those that the host counts, and once it has finished all that did not succeed.
// A child that its deadline ends may count fewer, since a node that has not reported on the image is in none of its counters.
func failedOn(job *v1alpha1.ImageListPullJob, child *kruisev1alpha1.ImagePullJob) int32 {
	s := &child.Status
	if childFinished(job, child) {
		return max(s.Failed, s.Desired-s.Succeeded)
	}
	return s.Failed
}

func failureOf(st *imageState, nodes int32) v1alpha1.FailedImagePullJobStatus {
	failure := v1alpha1.FailedImagePullJobStatus{Image: st.image, Failed: nodes}
	if st.child != nil {
		failure.Name = st.child.Name
		failure.FailedNodes = slices.Clone(st.child.Status.FailedNodes)
	}
	return failure
}

// exceedsDeadline says whether an ImagePullJob ended because its own deadline passed; Kruise says so in the message alone.
func exceedsDeadline(child *kruisev1alpha1.ImagePullJob) bool {
	return strings.Contains(child.Status.Message, "activeDeadlineSeconds")
}

// finishedBefore says whether a child finished before the list job was started, or re-opened.
func finishedBefore(child *kruisev1alpha1.ImagePullJob, start time.Time) bool {
	return child.Status.CompletionTime != nil && child.Status.CompletionTime.Time.Before(start)
}

// hasDeadlineOf says whether the deadline that bounds the image is that of the list job, not a shorter one of its override.
func hasDeadlineOf(job *v1alpha1.ImageListPullJob, st *imageState) bool {
	return ptr.Equal(job.Spec.CompletionPolicy.ActiveDeadlineSeconds, st.template.CompletionPolicy.ActiveDeadlineSeconds)
}

// status returns the counters and lists of the summary, in bounds.
func (sum *summary) status() *v1alpha1.ImageListPullJobStatus {
	status := &v1alpha1.ImageListPullJobStatus{
		Desired:   int32(sum.desired),
		Active:    int32(sum.active),
		Completed: int32(sum.completed),
		Succeeded: int32(sum.succeeded),
	}
	status.Status = progress(status)
	status.FailedImagePullJobStatuses, status.FailedImageStatuses = boundFailures(sum.failed)
	return status
}

// boundFailures lists the failed images in bounds: all of them by name and number, then nodes and messages of the first, then the
// same images in the shape of kruise-api.
func boundFailures(failed []v1alpha1.FailedImagePullJobStatus) ([]v1alpha1.FailedImagePullJobStatus, []*v1alpha1.FailedImageStatus) {
	var list []v1alpha1.FailedImagePullJobStatus
	used := 0
	for i := range failed[:min(len(failed), maxFailures)] {
		cost := entryBytes + len(failed[i].Name) + len(failed[i].Image)
		if used+cost > maxFailureBytes {
			break
		}
		used += cost
		list = append(list, v1alpha1.FailedImagePullJobStatus{Name: failed[i].Name, Image: failed[i].Image, Failed: failed[i].Failed})
	}
	details := 0
	for i := range min(len(list), maxDetailedFailures) {
		details += maxMessage // of any message, or what one is read for would depend on its length
		for _, node := range failed[i].FailedNodes {
			details += len(node) + 4
		}
		if details > maxDetailBytes {
			break
		}
		list[i].FailedNodes, list[i].Message = failed[i].FailedNodes, failed[i].Message
	}
	used += min(details, maxDetailBytes)
	var compatible []*v1alpha1.FailedImageStatus
	for i := range list {
		used += entryBytes + len(list[i].Name) + len(list[i].Image)
		if used > maxFailedBytes {
			break
		}
		compatible = append(compatible, &v1alpha1.FailedImageStatus{
			ImagePullJob: list[i].Name, Name: list[i].Image, Message: "see failedImagePullJobStatuses",
		})
	}
	return list, compatible
}

// progress returns "<succeeded>/<completed>".
func progress(status *v1alpha1.ImageListPullJobStatus) string {
	return fmt.Sprintf("%d/%d", status.Succeeded, status.Completed)
}
