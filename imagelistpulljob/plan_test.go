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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

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
	random.Shuffle(len(s.children), func(i, j int) { s.children[i], s.children[j] = s.children[j], s.children[i] })
	return s
}

func (m *model) plan(random *rand.Rand) plan {
	m.Helper()
	p, err := makePlan(m.state(random), m.now)
	if err != nil {
		m.Fatal(err)
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
		if _, taken := m.children[child.Name]; taken {
			m.Fatalf("%s is created twice", child.Name)
		}
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

// check asserts what must hold after every step.
func (m *model) check(p plan) {
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
	}
	s := m.job.Status
	for what, n := range map[string]int32{"active": s.Active, "completed": s.Completed, "succeeded": s.Succeeded} {
		if n < 0 || n > s.Desired {
			m.Fatalf("%s is %d of %d", what, n, s.Desired)
		}
	}
	if s.Succeeded > s.Completed {
		m.Fatalf("succeeded %d of completed %d", s.Succeeded, s.Completed)
	}
	if p.status != nil && p.status.CompletionTime != nil && len(p.create)+len(p.remove) > 0 {
		m.Fatal("completed in a pass that creates or deletes")
	}
}

// checkCompletion asserts, for a job that has just finished, that nothing that the spec asks for is left.
func (m *model) checkCompletion() {
	m.Helper()
	job := m.job.DeepCopy()
	v1alpha1.SetDefaults(job)
	until := deadline{start: job.Status.StartTime.Time, seconds: job.Spec.CompletionPolicy.ActiveDeadlineSeconds}
	if until.passed(m.now) {
		return
	}
	wanted, err := wantedImages(job)
	if err != nil {
		m.Fatal(err)
	}
	for i := range wanted {
		finished := false
		for _, child := range m.children {
			finished = finished || childKey(child) == wanted[i].key && child.Status.CompletionTime != nil &&
				child.Annotations[templateHashAnnotation] == wanted[i].hash
		}
		if !finished {
			m.Fatalf("completed although image %s has not finished", wanted[i].image)
		}
	}
}

// step plans and applies once, and checks that the order of the children does not matter.
func (m *model) step(random *rand.Rand) {
	m.Helper()
	p, shuffled := m.plan(random), m.plan(random)
	if a, b := planJSON(m.T, p), planJSON(m.T, shuffled); a != b {
		m.Fatalf("another order of the children makes another plan:\n%s\n%s", a, b)
	}
	running := m.job.Status.CompletionTime == nil
	m.apply(p)
	m.check(p)
	if running && m.job.Status.CompletionTime != nil {
		m.checkCompletion()
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

// settle steps, a second apart, until a plan leaves nothing to do, and fails if that takes too long.
func (m *model) settle(random *rand.Rand) {
	m.Helper()
	for range 10 {
		m.release()
		m.now = m.now.Add(time.Second)
		before := mustJSON(m.T, []any{m.job, m.children})
		m.step(random)
		if m.gone || mustJSON(m.T, []any{m.job, m.children}) == before {
			return
		}
	}
	m.Fatal("planning never comes to rest")
}

// fuzzImages holds two spellings of one image, which admission would refuse, and something that is no image reference.
var fuzzImages = []string{"a", "b:1", "c", "docker.io/library/a:latest", "No Reference", "d"}

// FuzzPlan runs a job through edits, progress of the host, deletions and time, as the bytes say, and checks the invariants after
// every step.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte("edit, pull, fail, delete, wait, and all of it again"))
	f.Add([]byte{11, 0, 11, 1, 3, 0, 3, 1, 3, 2, 9, 9, 9, 12, 5, 0, 3, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 200 {
			return
		}
		random := rand.New(rand.NewSource(int64(len(script))))
		m := newModel(t, newJob(images("a", "b:1")))
		for i := 0; i+1 < len(script) && !m.gone; i += 2 {
			m.act(script[i], script[i+1])
			m.step(random)
		}
		if !m.gone {
			m.settle(random)
		}
	})
}

// act does one thing that users, the host or time do.
func (m *model) act(what, how byte) {
	spec := &m.job.Spec
	switch what % 14 {
	case 0:
		spec.Images = nil
		for i, image := range fuzzImages {
			if how&(1<<i) != 0 {
				spec.Images = append(spec.Images, image)
			}
		}
	case 1:
		spec.Parallelism = ptr.To(intstr.FromInt32(int32(how % 3)))
	case 2:
		spec.ImagePullPolicy = []v1alpha1.ImagePullPolicy{"", v1alpha1.PullAlways, v1alpha1.PullIfNotPresent}[how%3]
	case 3, 4, 5:
		m.progress(how)
	case 6:
		for _, name := range m.names() {
			if how%4 == 0 {
				m.delete(name)
			}
			how /= 2
		}
	case 7:
		m.release()
	case 8:
		m.slowDeletes = how%2 == 0
	case 9:
		m.now = m.now.Add(time.Duration(how) * 10 * time.Second)
	case 10:
		spec.MaxConcurrentImages = []*int32{nil, ptr.To[int32](1), ptr.To[int32](2)}[how%3]
	case 11:
		spec.CompletionPolicy = &v1alpha1.CompletionPolicy{Type: []v1alpha1.CompletionPolicyType{"", v1alpha1.Always, v1alpha1.Never}[how%3]}
		if how&8 != 0 && spec.CompletionPolicy.Type != v1alpha1.Never {
			spec.CompletionPolicy.ActiveDeadlineSeconds = ptr.To(int64(how) * 20)
		}
	case 12:
		spec.ImageOverrides = []v1alpha1.ImageOverride{{Image: fuzzImages[int(how)%len(fuzzImages)]}}
		spec.ImageOverrides[0].Parallelism = ptr.To(intstr.FromInt32(int32(how % 2)))
	case 13:
		for _, child := range m.children { // another controller strips what is ours
			if how%3 == 0 {
				child.Annotations = nil
			}
		}
	}
	m.job.Generation++
}

// progress reports something about the how-th child, as the host would.
func (m *model) progress(how byte) {
	names := m.names()
	if len(names) == 0 {
		return
	}
	child := m.children[names[int(how)%len(names)]]
	if child.Status.CompletionTime != nil {
		return
	}
	desired := int32(how>>2) % 4
	succeeded := min(int32(how>>4)%4, desired)
	failed := min(int32(how>>6), desired-succeeded)
	progressOf(child, m.now, desired, succeeded, failed)
}

func (m *model) names() []string {
	var names []string
	for name := range m.children {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
