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
	"cmp"
	"slices"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// state is what a plan is made from: everything that observe read.
type state struct {
	// stale says that the cache does not show yet what we last wrote or deleted. Nothing else is set then: whatever came of it would be
	// refused, or count what is gone.
	stale bool
	// job is a copy with defaults.
	job *v1alpha1.ImageListPullJob
	// children are the ImagePullJobs that job controls, those being deleted included.
	children []*kruisev1alpha1.ImagePullJob
	// failureReasons says why an image failed, by name of the child, for failures that the status does not list yet.
	failureReasons map[string]string
	// moreReasons says that there are more such failures than are read in one reconcile.
	moreReasons bool
	// statusWritten is when the status was last written, zero if unknown.
	statusWritten time.Time
	// statusInterval is the least time between two status writes.
	statusInterval time.Duration
}

// plan is what one reconcile does. Everything is in list order.
type plan struct {
	remove []*kruisev1alpha1.ImagePullJob
	patch  []childPatch
	create []*kruisev1alpha1.ImagePullJob
	// places is how many of create are made.
	places int
	// problems keep a child from being made.
	problems []problem
	// expire deletes the list job: its TTL has passed.
	expire bool
	// status is to be written unless it is what job has already; nil leaves it.
	status *v1alpha1.ImageListPullJobStatus
	// urgent status is not held back for statusInterval.
	urgent bool
	// requeueAfter is when time alone makes another plan; zero: never.
	requeueAfter time.Duration
}

type childPatch struct {
	child *kruisev1alpha1.ImagePullJob
	body  patchBody
}

// makePlan decides what to do. It is pure: the same state and time give the same plan, whatever the order of the children.
func makePlan(s *state, now time.Time) (plan, error) {
	job := s.job
	if job.DeletionTimestamp != nil {
		return plan{}, nil // garbage collection removes the children
	}
	images, err := wantedImages(job)
	if err != nil {
		return plan{}, err
	}
	hash := hashSpec(images)
	finished := job.Status.CompletionTime != nil
	switch {
	case finished && job.Status.SpecHash == "":
		return planTakeover(job, hash, now), nil
	case finished && job.Status.SpecHash == hash:
		return planFinished(job, now), nil
	case finished:
		return planReopen(job, images, hash, now), nil
	default:
		return planRunning(s, images, hash, now), nil
	}
}

// planTakeover records what a job was finished for by another controller. Nothing is pulled again: its children may have expired.
func planTakeover(job *v1alpha1.ImageListPullJob, hash string, now time.Time) plan {
	status := job.Status.DeepCopy()
	status.SpecHash = hash
	status.ObservedGeneration = job.Generation
	status.Status = progress(status)
	setConditions(status, takeoverVerdict(status), now)
	return plan{status: status, urgent: true}
}

// planFinished leaves a finished job alone until its TTL has passed; later edits that re-open nothing are acknowledged.
func planFinished(job *v1alpha1.ImageListPullJob, now time.Time) plan {
	p := plan{}
	if left, ok := ttlLeft(job, job.Status.CompletionTime.Time, now); ok {
		p.expire = left <= 0
		p.requeueAfter = max(left, 0)
	}
	p.status = job.Status.DeepCopy()
	p.status.ObservedGeneration = job.Generation
	for i := range p.status.Conditions {
		p.status.Conditions[i].ObservedGeneration = job.Generation
	}
	return p
}

// planReopen starts a finished job anew, in one status write before anything is created.
func planReopen(job *v1alpha1.ImageListPullJob, images []wantedImage, hash string, now time.Time) plan {
	status := &v1alpha1.ImageListPullJobStatus{
		ObservedGeneration: job.Generation,
		SpecHash:           hash,
		StartTime:          ptrTime(now),
		Desired:            int32(len(images)),
		Conditions:         slices.Clone(job.Status.Conditions),
	}
	status.Status = progress(status)
	setConditions(status, runningVerdict(job, summary{desired: len(images)}), now)
	return plan{status: status, urgent: true}
}

func planRunning(s *state, images []wantedImage, hash string, now time.Time) plan {
	job := s.job
	start := ptrTime(now)
	if job.Status.StartTime != nil {
		start = job.Status.StartTime
	}
	until := deadline{start: start.Time, seconds: job.Spec.CompletionPolicy.ActiveDeadlineSeconds}
	states, unwanted := matchChildren(images, s.children)

	p := plan{remove: unwanted}
	if !until.passed(now) {
		p.patch = patches(job, states, until)
		p.create, p.places = creations(job, states, until, now)
		p.awaitReleases(states, now)
		if until.seconds != nil {
			p.requeueAfter = sooner(p.requeueAfter, until.end().Sub(now))
		}
	}
	p.conclude(s, states, until, now)
	p.status.SpecHash = hash
	p.status.StartTime = start
	p.holdBack(s, now)
	return p
}

// conclude sums up the children, and finishes the job unless something is left to do.
func (p *plan) conclude(s *state, states []imageState, until deadline, now time.Time) {
	job := s.job
	overdue := until.passed(now)
	sum := summarise(job, states, s.failureReasons, until.start)
	final := p.idle() && job.Spec.CompletionPolicy.Type != v1alpha1.Never && (overdue || sum.completed == sum.desired && !s.moreReasons)
	if final && overdue {
		sum.giveUp(states)
	}

	p.status = sum.status()
	p.status.ObservedGeneration = job.Generation
	p.status.Conditions = slices.Clone(job.Status.Conditions)
	if final {
		p.status.CompletionTime = ptrTime(now)
		p.requeueAfter, _ = ttlLeft(job, now, now)
		setConditions(p.status, finalVerdict(sum), now)
	} else {
		setConditions(p.status, runningVerdict(job, sum), now)
	}
	firstFailure := len(job.Status.FailedImagePullJobStatuses) == 0 && len(p.status.FailedImagePullJobStatuses) > 0
	p.urgent = job.Status.StartTime == nil || firstFailure || final
}

// idle says that the plan neither makes nor deletes children: only then a job may finish.
func (p *plan) idle() bool { return len(p.remove) == 0 && len(p.create) == 0 }

// awaitReleases looks again when a child that is being deleted should be gone, and complains if it is not.
func (p *plan) awaitReleases(states []imageState, now time.Time) {
	for i := range states {
		if states[i].child != nil || states[i].terminating == nil {
			continue
		}
		problems, wait := awaitRelease(states[i].terminating, now)
		p.problems = append(p.problems, problems...)
		p.requeueAfter = sooner(p.requeueAfter, wait)
	}
}

// holdBack keeps a status that is not urgent until statusInterval has passed since the last write.
func (p *plan) holdBack(s *state, now time.Time) {
	wait := s.statusWritten.Add(s.statusInterval).Sub(now)
	if p.urgent || wait <= 0 || equality.Semantic.DeepEqual(&s.job.Status, p.status) {
		return
	}
	p.status = nil
	p.requeueAfter = sooner(p.requeueAfter, wait)
}

// sooner returns the smaller of two delays, of which zero means never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return cmp.Or(a, b)
	}
	return min(a, b)
}

func ptrTime(t time.Time) *metav1.Time {
	// The API keeps whole seconds. Rounding here keeps a plan equal to what is read back.
	return &metav1.Time{Time: t.Truncate(time.Second)}
}
