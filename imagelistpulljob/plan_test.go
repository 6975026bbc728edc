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
	"math/rand"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// fuzzImages holds two spellings of one image, which admission would refuse, and something that is no image reference.
var fuzzImages = []string{"a", "b:1", "c", "docker.io/library/a:latest", "No Reference", "d"}

// FuzzPlan runs a job through edits, progress of the host, deletions and time, as the bytes say, and checks the invariants after
// every step.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte("edit, pull, fail, delete, wait, and all of it again"))
	f.Add([]byte{11, 0, 11, 1, 3, 0, 3, 1, 3, 2, 9, 9, 9, 12, 5, 0, 3, 3})
	f.Add([]byte{14, 1, 3, 0, 14, 0, 15, 3, 3, 255, 17, 3, 9, 1, 16, 2})
	f.Fuzz(runScript)
}

// TestPlanOnRandomScripts is what FuzzPlan does, on the same random scripts each time.
func TestPlanOnRandomScripts(t *testing.T) {
	for seed := range int64(100) {
		random := rand.New(rand.NewSource(seed))
		script := make([]byte, 2+random.Intn(100))
		random.Read(script)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runScript(t, script) })
	}
}

func runScript(t *testing.T, script []byte) {
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
}

// act does one thing that users, the host or time do.
func (m *model) act(what, how byte) {
	switch what % 20 {
	case 0:
		m.job.Spec.Images = nil
		for i, image := range fuzzImages {
			if how&(1<<i) != 0 {
				m.job.Spec.Images = append(m.job.Spec.Images, image)
			}
		}
	case 1, 2, 3, 4:
		m.edit(int(what%20), how)
	case 5, 6, 7, 8:
		m.progress(how)
	case 9:
		for _, name := range m.names() {
			if how%4 == 0 {
				m.delete(name)
			}
			how /= 2
		}
	case 10:
		m.release()
	case 11:
		m.slowDeletes = how%2 == 0
	case 12, 13:
		m.now = m.now.Add(time.Duration(how) * 10 * time.Second)
	case 14:
		m.adoptable(how)
	case 15:
		for _, child := range m.children { // another controller strips what is ours
			if how%3 == 0 {
				child.Annotations = nil
			}
		}
	case 16:
		m.reasonReads = int(how % 3)
	case 17, 18:
		m.override(how)
	case 19:
		if how == 0 {
			m.job.DeletionTimestamp = &metav1.Time{Time: m.now}
		}
	}
	m.job.Generation++
}

// edit changes one field of the spec for all images.
func (m *model) edit(what int, how byte) {
	spec := &m.job.Spec
	switch what {
	case 1:
		spec.Parallelism = ptr.To(intstr.FromInt32(int32(how % 3)))
	case 2:
		spec.ImagePullPolicy = []v1alpha1.ImagePullPolicy{"", v1alpha1.PullAlways, v1alpha1.PullIfNotPresent}[how%3]
	case 3:
		spec.MaxConcurrentImages = []*int32{nil, ptr.To[int32](1), ptr.To[int32](2)}[how%3]
	case 4:
		policy := &v1alpha1.CompletionPolicy{Type: []v1alpha1.CompletionPolicyType{"", v1alpha1.Always, v1alpha1.Never}[how%3]}
		if how&8 != 0 && policy.Type != v1alpha1.Never {
			policy.ActiveDeadlineSeconds = ptr.To(int64(how) * 20)
		}
		if how&16 != 0 && policy.Type != v1alpha1.Never {
			policy.TTLSecondsAfterFinished = ptr.To(int32(how))
		}
		spec.CompletionPolicy = policy
		if policy.Type == v1alpha1.Never && len(spec.ImageOverrides) > 0 {
			spec.ImageOverrides[0].CompletionPolicy = nil // admission refuses it, for what does not finish has no deadline
		}
	}
}

// override sets the override of one image, in place of those that were.
func (m *model) override(how byte) {
	o := v1alpha1.ImageOverride{Image: fuzzImages[int(how)%len(fuzzImages)]}
	switch {
	case how&64 != 0:
		o.PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: ptr.To(int32(how))}
	case how&128 != 0 && (m.job.Spec.CompletionPolicy == nil || m.job.Spec.CompletionPolicy.Type != v1alpha1.Never):
		o.CompletionPolicy = &v1alpha1.CompletionPolicy{ActiveDeadlineSeconds: ptr.To(int64(how))}
	default:
		o.Parallelism = ptr.To(intstr.FromInt32(int32(how % 2)))
	}
	m.job.Spec.ImageOverrides = []v1alpha1.ImageOverride{o}
}

// adoptable adds a child that Kruise's own controller made, for the template of now or for another.
func (m *model) adoptable(how byte) {
	if m.job.Status.CompletionTime != nil || m.job.DeletionTimestamp != nil {
		return
	}
	job := newJob(func(job *v1alpha1.ImageListPullJob) { m.job.Spec.DeepCopyInto(&job.Spec) })
	if how&16 != 0 {
		job.Spec.ImagePullPolicy = v1alpha1.PullAlways
	}
	job.Spec.ImageOverrides, job.Spec.PullPolicy.TimeoutSeconds = nil, ptr.To[int32](5)
	if how&32 != 0 {
		job.Spec.PullPolicy.TimeoutSeconds = ptr.To(v1alpha1.DefaultTimeoutSeconds)
		job.Spec.CompletionPolicy.ActiveDeadlineSeconds = nil
	}
	m.made++
	child := kruiseChild(job, fuzzImages[int(how)%len(fuzzImages)], fmt.Sprint("kruise-", m.made))
	child.CreationTimestamp = metav1.Time{Time: m.now}
	m.children[child.Name] = child
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
