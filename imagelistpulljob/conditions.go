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

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

const (
	// maxNamedImages is how many images, or problems, a message names.
	maxNamedImages = 3
	// maxProblem is the longest problem that a message tells, in characters.
	maxProblem = 300
	// noNodesPhrase tells images without nodes; that a message holds it is how a transition is seen.
	noNodesPhrase = "no node matches the selector of "
)

// verdict is what the conditions say, in one place.
type verdict struct {
	finished, complete, failed bool
	reason, message            string
	// reconciling says that something is still expected to change by itself.
	reconciling bool
}

// runningVerdict is that of a job that has not finished.
func runningVerdict(job *v1alpha1.ImageListPullJob, sum summary) verdict {
	v := verdict{reason: v1alpha1.ReasonProgressing, message: progressMessage(sum), reconciling: true}
	switch {
	case job.Spec.CompletionPolicy.Type == v1alpha1.Never:
		v.reason = v1alpha1.ReasonNeverFinishes
		v.reconciling = sum.completed+len(sum.noNodes) < sum.desired
		if len(sum.failed) > 0 {
			v.message = v1alpha1.ReasonImagesFailed + ": " + v.message
		}
		if len(sum.noNodes) > 0 {
			v.message += "; " + noNodesMessage(sum)
		}
	case sum.paused:
		v.reason = v1alpha1.ReasonPaused
		v.message += "; paused, since parallelism is 0"
	}
	return v
}

// finalVerdict is that of a job that finishes now.
func finalVerdict(sum summary) verdict {
	v := verdict{finished: true, message: progressMessage(sum)}
	switch {
	case sum.deadlineExceeded:
		v.failed, v.reason = true, v1alpha1.ReasonDeadlineExceeded
		v.message = "activeDeadlineSeconds passed: " + v.message
	case len(sum.failed) > 0:
		v.failed, v.reason = true, v1alpha1.ReasonImagesFailed
	case len(sum.noNodes) > 0:
		v.complete, v.reason = true, v1alpha1.ReasonNoNodesMatched
		v.message += "; " + noNodesMessage(sum)
	default:
		v.complete, v.reason = true, v1alpha1.ReasonAllImagesPulled
	}
	return v
}

// takeoverVerdict is that of a job that another controller finished: only its counters are left.
func takeoverVerdict(status *v1alpha1.ImageListPullJobStatus) verdict {
	v := verdict{finished: true, complete: true, reason: v1alpha1.ReasonAllImagesPulled}
	v.message = pulledMessage(int(status.Succeeded), int(status.Desired)) + ", as counted by another controller"
	if status.Succeeded < status.Desired {
		v.complete, v.failed, v.reason = false, true, v1alpha1.ReasonImagesFailed
	}
	return v
}

// setConditions writes the verdict into the conditions. Those that only kstatus-based tools read are there only while they hold.
func setConditions(status *v1alpha1.ImageListPullJobStatus, v verdict, now time.Time) {
	set := func(kind string, holds bool, message string) {
		condition := metav1.Condition{
			Type:               kind,
			Status:             metav1.ConditionFalse,
			ObservedGeneration: status.ObservedGeneration,
			LastTransitionTime: *ptrTime(now),
			Reason:             v.reason,
			Message:            message,
		}
		if holds {
			condition.Status = metav1.ConditionTrue
		}
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	setIf := func(kind string, holds bool) {
		if holds {
			set(kind, true, v.message)
		} else {
			meta.RemoveStatusCondition(&status.Conditions, kind)
		}
	}
	failure := ""
	if v.failed {
		failure = v.message
	}
	set(v1alpha1.ConditionFinished, v.finished, v.message)
	set(v1alpha1.ConditionComplete, v.complete, "")
	set(v1alpha1.ConditionFailed, v.failed, failure)
	setIf(v1alpha1.ConditionReconciling, v.reconciling)
	setIf(v1alpha1.ConditionStalled, v.failed)
}

// addProblems tells in the conditions of a running job what keeps children from being made.
func addProblems(status *v1alpha1.ImageListPullJobStatus, problems []problem) {
	if len(problems) == 0 || status.CompletionTime != nil {
		return
	}
	var parts []string
	for _, p := range named(problems) {
		parts = append(parts, p.message)
	}
	if more := len(problems) - len(parts); more > 0 {
		parts = append(parts, "and "+count(more, "more problem"))
	}
	for _, kind := range []string{v1alpha1.ConditionFinished, v1alpha1.ConditionReconciling} {
		if condition := meta.FindStatusCondition(status.Conditions, kind); condition != nil {
			condition.Message += "; " + strings.Join(parts, "; ")
		}
	}
}

// progressMessage reads like "2 of 3 images pulled; httpd:2.4.38 failed on 27 nodes: not found".
func progressMessage(sum summary) string {
	parts := []string{pulledMessage(sum.succeeded, sum.desired)}
	for i := range sum.failed {
		if i == maxNamedImages {
			parts = append(parts, fmt.Sprintf("%s failed too", count(len(sum.failed)-i, "more image")))
			break
		}
		f := &sum.failed[i]
		part := f.Image + " failed"
		if f.Failed > 0 {
			part += " on " + count(int(f.Failed), "node")
		}
		if f.Message != "" {
			part += ": " + f.Message
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func pulledMessage(pulled, all int) string {
	return fmt.Sprintf("%d of %s pulled", pulled, count(all, "image"))
}

func noNodesMessage(sum summary) string {
	some := named(sum.noNodes)
	message := noNodesPhrase + strings.Join(some, ", ")
	if more := len(sum.noNodes) - len(some); more > 0 {
		message += fmt.Sprintf(" and %s", count(more, "more image"))
	}
	return message
}

// named returns what a message names of a list.
func named[T any](list []T) []T {
	return list[:min(len(list), maxNamedImages)]
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
