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
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// model is the API in memory: one job and its children. It applies plans as apply does, without anything that can fail.
type model struct {
	*testing.T
	job      *v1alpha1.ImageListPullJob
	children map[string]*kruisev1alpha1.ImagePullJob
	now      time.Time
	made     int
	written  time.Time
	gone     bool
	// slowDeletes keeps deleted children until release is called, as Kruise's finalizer does.
	slowDeletes bool
	// reasonReads is how many reasons of failures are read in one pass; 0: none is known.
	reasonReads int
}

func newModel(t *testing.T, job *v1alpha1.ImageListPullJob) *model {
	return &model{T: t, job: job, children: map[string]*kruisev1alpha1.ImagePullJob{}, now: t0}
}

// state returns what observe would, with the children in random order.
func (m *model) state(random *rand.Rand) *state {
	s := &state{job: m.job.DeepCopy(), statusWritten: m.written, statusInterval: time.Second}
	v1alpha1.SetDefaults(s.job)
	for _, child := range m.children {
		stripped, err := stripImagePullJob(child.DeepCopy())
		if err != nil {
			m.Fatal(err)
		}
		s.children = append(s.children, stripped.(*kruisev1alpha1.ImagePullJob))
	}
	slices.SortFunc(s.children, func(a, b *kruisev1alpha1.ImagePullJob) int { return strings.Compare(a.Name, b.Name) })
	random.Shuffle(len(s.children), func(i, j int) { s.children[i], s.children[j] = s.children[j], s.children[i] })
	m.readReasons(s)
	return s
}

// readReasons answers as NodeImages do that cannot be read.
func (m *model) readReasons(s *state) {
	m.Helper()
	failures, err := unexplained(s.job, s.children)
	if err != nil {
		m.Fatal(err)
	}
	s.failureReasons = map[string]string{}
	for _, child := range failures[:min(len(failures), m.reasonReads)] {
		s.failureReasons[child.Name] = "see " + child.Status.FailedNodes[0]
	}
	s.moreReasons = m.reasonReads > 0 && len(failures) > m.reasonReads
}

// plan makes a plan, which must not change what it is made from.
func (m *model) plan(random *rand.Rand) plan {
	m.Helper()
	s := m.state(random)
	before := mustJSON(m.T, []any{s.job, s.children})
	p, err := makePlan(s, m.now)
	if err != nil {
		m.Fatal(err)
	}
	if after := mustJSON(m.T, []any{s.job, s.children}); after != before {
		m.Fatalf("planning changed its input:\n%s\n%s", before, after)
	}
	return p
}

func (m *model) apply(p plan) {
	m.Helper()
	if p.expire {
		m.gone = true
		return
	}
	for _, child := range p.remove {
		m.delete(child.Name)
	}
	for _, patch := range p.patch {
		m.mergePatch(patch.child.Name, patch.body)
	}
	for _, child := range p.create[:p.places] {
		m.checkCreation(child)
		m.made++
		child.CreationTimestamp = metav1.Time{Time: m.now}
		m.children[child.Name] = child
	}
	if p.status != nil && !cmp.Equal(&m.job.Status, p.status) {
		m.job.Status = *p.status
		m.written = m.now
	}
}

func (m *model) delete(name string) {
	if child := m.children[name]; m.slowDeletes && child != nil {
		child.DeletionTimestamp = &metav1.Time{Time: m.now}
		return
	}
	delete(m.children, name)
}

// release removes the finalizers of everything that is being deleted.
func (m *model) release() {
	for name, child := range m.children {
		if child.DeletionTimestamp != nil {
			delete(m.children, name)
		}
	}
}

func (m *model) mergePatch(name string, body patchBody) {
	m.Helper()
	var object, patch map[string]any
	roundTrip(m.T, m.children[name], &object)
	roundTrip(m.T, body, &patch)
	merge(object, patch)
	patched := &kruisev1alpha1.ImagePullJob{}
	roundTrip(m.T, object, patched)
	m.children[name] = patched
}

func roundTrip(t *testing.T, from, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustJSON(t, from)), to); err != nil {
		t.Fatal(err)
	}
}

// merge is a JSON merge patch (RFC 7396).
func merge(object, patch map[string]any) {
	for key, value := range patch {
		next, nested := value.(map[string]any)
		switch {
		case value == nil:
			delete(object, key)
		case nested:
			if _, ok := object[key].(map[string]any); !ok {
				object[key] = map[string]any{}
			}
			merge(object[key].(map[string]any), next)
		default:
			object[key] = value
		}
	}
}
