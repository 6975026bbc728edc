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
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"testing"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// step plans and applies once, and checks what must hold then, whatever came before.
func (m *model) step(random *rand.Rand) {
	m.Helper()
	p, shuffled := m.plan(random), m.plan(random)
	if a, b := planJSON(m.T, p), planJSON(m.T, shuffled); a != b {
		m.Fatalf("another order of the children makes another plan:\n%s\n%s", a, b)
	}
	before := m.job.DeepCopy()
	m.checkPlan(p)
	m.apply(p)
	m.checkChildren()
	m.checkCounters()
	if len(p.create[:p.places]) > 0 {
		m.checkConcurrency()
	}
	if before.Status.CompletionTime == nil && m.job.Status.CompletionTime != nil {
		m.checkCompletion(p)
	}
}

func planJSON(t *testing.T, p plan) string {
	t.Helper()
	var bodies []patchBody
	for i := range p.patch {
		bodies = append(bodies, p.patch[i].body)
	}
	return mustJSON(t, []any{p.remove, bodies, p.create, p.places, p.expire, p.status, p.urgent, p.requeueAfter})
}

// checkPlan asserts that nothing is done for a job that is over or going, and that no appointment is missed.
func (m *model) checkPlan(p plan) {
	m.Helper()
	writes := len(p.remove) + len(p.patch) + len(p.create)
	switch {
	case m.job.DeletionTimestamp != nil && (writes > 0 || p.status != nil || p.expire):
		m.Fatal("something is done for a job that is being deleted")
	case m.job.Status.CompletionTime != nil && writes > 0:
		m.Fatal("something is done for a job that has finished")
	case p.expire && m.job.Status.CompletionTime == nil:
		m.Fatal("a job that has not finished expires")
	case p.requeueAfter < 0:
		m.Fatalf("looks again after %s", p.requeueAfter)
	}
	deadline := m.job.Spec.CompletionPolicy
	if m.job.DeletionTimestamp != nil || m.job.Status.CompletionTime != nil || m.job.Status.StartTime == nil ||
		deadline == nil || deadline.ActiveDeadlineSeconds == nil {
		return
	}
	left := m.job.Status.StartTime.Add(time.Duration(*deadline.ActiveDeadlineSeconds) * time.Second).Sub(m.now)
	if left > 0 && (p.requeueAfter == 0 || p.requeueAfter > left) && (p.status == nil || p.status.CompletionTime == nil) {
		m.Fatalf("looks again after %s, and the deadline is in %s", p.requeueAfter, left)
	}
}

// checkCreation asserts that a child has a name that nothing else has, that it comes after its predecessor is gone, and that the
// host admits it.
func (m *model) checkCreation(child *kruisev1alpha1.ImagePullJob) {
	m.Helper()
	if wrong := validateName(child.Name); len(wrong) > 0 {
		m.Fatalf("name %q: %v", child.Name, wrong)
	}
	for _, other := range m.children {
		if other.Name == child.Name || childKey(other) == childKey(child) {
			m.Fatalf("%s is created beside %s", child.Name, other.Name)
		}
	}
}

// checkChildren asserts that each image has one live child at most, and that the host admits them all.
func (m *model) checkChildren() {
	m.Helper()
	live := map[v1alpha1.ImageKey]string{}
	for _, child := range m.children {
		if child.DeletionTimestamp != nil {
			continue
		}
		if other, ok := live[childKey(child)]; ok {
			m.Fatalf("two live children for one image: %s and %s", child.Name, other)
		}
		live[childKey(child)] = child.Name
		if err := hostRefuses(&child.Spec); err != nil {
			m.Fatalf("the host refuses %s: %v", child.Name, err)
		}
	}
}

// hostRefuses restates those rules of the admission of ImagePullJobs, as Kruise v1.8.0 has it, that are not about syntax.
func hostRefuses(spec *kruisev1alpha1.ImagePullJobSpec) error {
	if s := spec.Selector; s != nil && s.Names != nil && (s.MatchLabels != nil || s.MatchExpressions != nil) {
		return errors.New("both names and labels")
	}
	if spec.Selector != nil && spec.PodSelector != nil {
		return errors.New("both selectors")
	}
	policy := spec.CompletionPolicy
	switch policy.Type {
	case kruisev1alpha1.Always:
		timeout := v1alpha1.DefaultTimeoutSeconds
		if spec.PullPolicy != nil {
			timeout = ptr.Deref(spec.PullPolicy.TimeoutSeconds, timeout)
		}
		if policy.ActiveDeadlineSeconds != nil && int64(timeout) > *policy.ActiveDeadlineSeconds {
			return fmt.Errorf("time-out of %d s above the deadline of %d s", timeout, *policy.ActiveDeadlineSeconds)
		}
	case kruisev1alpha1.Never:
		if policy.ActiveDeadlineSeconds != nil || policy.TTLSecondsAfterFinished != nil {
			return errors.New("deadline or TTL with type Never")
		}
	default:
		return fmt.Errorf("type %q", policy.Type)
	}
	return nil
}

// checkCounters asserts that nothing is counted more often than there are images, and that the status is of a bearable size.
func (m *model) checkCounters() {
	m.Helper()
	s := m.job.Status
	for what, n := range map[string]int32{
		"active": s.Active, "completed": s.Completed, "succeeded": s.Succeeded, "failed": int32(len(s.FailedImagePullJobStatuses)),
	} {
		if n < 0 || n > s.Desired {
			m.Fatalf("%s is %d of %d", what, n, s.Desired)
		}
	}
	if s.Succeeded > s.Completed {
		m.Fatalf("succeeded %d of completed %d", s.Succeeded, s.Completed)
	}
	if size := len(mustJSON(m.T, s)); size >= 120<<10 {
		m.Fatalf("status of %d bytes", size)
	}
}

// wanted returns the images of the job as the plan sees them.
func (m *model) wanted() (*v1alpha1.ImageListPullJob, []wantedImage) {
	m.Helper()
	job := m.job.DeepCopy()
	v1alpha1.SetDefaults(job)
	wanted, err := wantedImages(job)
	if err != nil {
		m.Fatal(err)
	}
	return job, wanted
}

// checkConcurrency asserts, after children were made, that no more images are in progress than may be.
func (m *model) checkConcurrency() {
	m.Helper()
	job, wanted := m.wanted()
	if job.Spec.MaxConcurrentImages == nil || job.Spec.CompletionPolicy.Type == v1alpha1.Never {
		return
	}
	progressing := 0
	for i := range wanted {
		for _, child := range m.children {
			s := child.Status
			if childKey(child) == wanted[i].key && child.DeletionTimestamp == nil && parallelismOf(&wanted[i].template) > 0 && s.CompletionTime == nil &&
				(s.StartTime == nil || s.Desired > 0) {
				progressing++
			}
		}
	}
	if limit := int(*job.Spec.MaxConcurrentImages); progressing > limit {
		m.Fatalf("%d images in progress, %d may be", progressing, limit)
	}
}

// checkCompletion asserts, for a job that has just finished, that nothing that the spec asks for is left.
func (m *model) checkCompletion(p plan) {
	m.Helper()
	if len(p.create)+len(p.remove) > 0 {
		m.Fatal("completed in a pass that creates or deletes")
	}
	job, wanted := m.wanted()
	if job.Spec.CompletionPolicy.Type == v1alpha1.Never {
		m.Fatal("a job of type Never completed")
	}
	until := deadline{start: job.Status.StartTime.Time, seconds: job.Spec.CompletionPolicy.ActiveDeadlineSeconds}
	if until.passed(m.now) {
		return
	}
	for i := range wanted {
		finished := false
		for _, child := range m.children {
			finished = finished || childKey(child) == wanted[i].key && child.Status.CompletionTime != nil && intentOf(child) == wanted[i].hash
		}
		if !finished {
			m.Fatalf("completed although image %s has not finished", wanted[i].image)
		}
	}
}

// settle steps, a second apart, until a plan leaves nothing to do, and fails if that takes too long.
func (m *model) settle(random *rand.Rand) {
	m.Helper()
	for range 20 {
		m.release()
		m.now = m.now.Add(time.Second)
		before := mustJSON(m.T, []any{m.job, m.children})
		m.step(random)
		if m.gone || mustJSON(m.T, []any{m.job, m.children}) == before {
			m.checkRest(random)
			return
		}
	}
	m.Fatal("planning never comes to rest")
}

// checkRest asserts that a plan that was carried out leaves nothing to do.
func (m *model) checkRest(random *rand.Rand) {
	m.Helper()
	if m.gone {
		return
	}
	p := m.plan(random)
	if len(p.remove)+len(p.patch)+len(p.create[:p.places]) > 0 || p.expire {
		m.Fatalf("something is left to do after everything was done: %s", planJSON(m.T, p))
	}
	if status, err := json.Marshal(p.status); err != nil || p.status != nil && string(status) != mustJSON(m.T, m.job.Status) {
		m.Fatalf("the status changes without a change: %s (%v)", status, err)
	}
}
