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
	"testing"
	"time"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/webhook/validating"
)

// FuzzAdmitted sends any spec. What admission lets pass, the plan can run: each image gets a child that the host admits, also when
// some of the deadline is over, and the job finishes once they have.
func FuzzAdmitted(f *testing.F) {
	for _, spec := range []string{
		`{"images":["nginx"]}`,
		`{"images":["a","b:1"],"maxConcurrentImages":1,"imagePullJobTemplate":[{"image":"a","parallelism":0},{"image":"c"}]}`,
		`{"images":["a"],"pullPolicy":{"timeoutSeconds":60},"completionPolicy":{"activeDeadlineSeconds":60,"ttlSecondsAfterFinished":1}}`,
		`{"images":["a","b"],"maxConcurrentImages":1,"pullPolicy":{"timeoutSeconds":60},"completionPolicy":{"activeDeadlineSeconds":60}}`,
		`{"images":["a"],"completionPolicy":{"type":"Never"},"selector":{}}`,
		`{"completionPolicy":{"activeDeadlineSeconds":900},"imagePullJobTemplate":[{"image":"a","selector":{"names":["n"]},"pullPolicy":{"timeoutSeconds":5},"completionPolicy":{"activeDeadlineSeconds":5}}]}`,
		`{"images":["a"],"podSelector":{"matchLabels":{"a":"b"}},"imagePullJobTemplate":[{"image":"a","selector":{"matchLabels":{"c":"d"}}}]}`,
	} {
		f.Add([]byte(spec), uint16(30), "job")
	}
	f.Fuzz(func(t *testing.T, spec []byte, elapsed uint16, name string) {
		job := newJob()
		job.Name, job.Spec = name, v1alpha1.ImageListPullJobSpec{}
		if json.Unmarshal(spec, &job.Spec) != nil || len(validateName(name)) > 0 || len(validating.Validate(job)) > 0 {
			return
		}
		random := rand.New(rand.NewSource(1))
		m := newModel(t, job)
		m.step(random)
		if got, want := int(m.job.Status.Desired), len(job.Spec.ImageTemplates()); got != want {
			t.Fatalf("desired %d of %d images", got, want)
		}
		m.now = m.now.Add(time.Duration(elapsed) * time.Second)
		m.finishAll(random)
		m.checkOutcome()
	})
}

// finishAll lets the host finish one child after the other, until nothing is left to do.
func (m *model) finishAll(random *rand.Rand) {
	m.Helper()
	for range 3 * m.job.Status.Desired {
		m.now = m.now.Add(time.Second)
		m.step(random)
		for _, name := range m.names() {
			if child := m.children[name]; child.Status.StartTime == nil {
				progressOf(child, m.now, 1, 1, 0)
				break
			}
		}
	}
}

// checkOutcome asserts that a job all of whose children were pulled is over: at the latest when an image that waits for being
// resumed has no more time.
func (m *model) checkOutcome() {
	m.Helper()
	job, wanted := m.wanted()
	waiting := 0
	for i := range wanted {
		if job.Spec.MaxConcurrentImages != nil && parallelismOf(&wanted[i].template) == 0 {
			waiting++
		}
	}
	s := m.job.Status
	switch {
	case m.gone:
	case job.Spec.CompletionPolicy.Type == v1alpha1.Never:
		if s.Succeeded != s.Desired {
			m.Fatalf("%s of %d images pulled", s.Status, s.Desired)
		}
	case s.CompletionTime == nil && (waiting == 0 || int(s.Completed) != len(wanted)-waiting):
		m.Fatalf("%s of %d images pulled, and the job goes on", s.Status, s.Desired)
	}
}
