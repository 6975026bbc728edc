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
	"sync"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
)

// memories holds what is remembered of each list job from one reconcile to the next: how far the cache lags behind our own writes,
// and what need not be asked again. It only delays or spares work: after a restart, when the cache is filled anew, the same is done
// without it.
type memories struct {
	byJob sync.Map // types.NamespacedName to *memory
}

func (m *memories) of(job types.NamespacedName) *memory {
	found, _ := m.byJob.LoadOrStore(job, &memory{refusals: map[string]refusal{}, removed: map[types.UID]bool{}})
	return found.(*memory)
}

func (m *memories) forget(job types.NamespacedName) { m.byJob.Delete(job) }

// memory of one list job.
type memory struct {
	mu sync.Mutex
	// statusWritten is when the status was last written.
	statusWritten time.Time
	// replaced is the resourceVersion that this write replaced: a cache that still shows it lags behind.
	replaced string
	refusals map[string]refusal
	// reasons why images failed, by name of the child, that were read and are not in the status yet.
	reasons map[string]string
	// removed are the children that were deleted and that the cache has not shown as such yet.
	removed map[types.UID]bool
}

// refusal is an answer of the API server to the create of a child, which is not asked for again before a while has passed: the
// events of the other children would repeat it each time.
type refusal struct {
	problem problem
	until   time.Time
}

func (m *memory) wrote(replaced string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.statusWritten, m.replaced = now, replaced
}

func (m *memory) lastWrite() (at time.Time, replaced string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.statusWritten, m.replaced
}

// remove remembers a child as deleted, until lagsBehind finds that the cache shows it so.
func (m *memory) remove(child types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.removed[child] = true
}

// lagsBehind says whether children, as the cache shows them, still hold a live one that was deleted: taken for the child of an image
// that was added again, it would be counted as the one that is to be made.
func (m *memory) lagsBehind(children []*kruisev1alpha1.ImagePullJob) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	lagging := map[types.UID]bool{}
	for _, child := range children {
		if child.DeletionTimestamp == nil && m.removed[child.UID] {
			lagging[child.UID] = true
		}
	}
	m.removed = lagging
	return len(lagging) > 0
}

// explain replaces the reasons that are remembered. They are not changed afterwards.
func (m *memory) explain(reasons map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reasons = reasons
}

func (m *memory) explained() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reasons
}

func (m *memory) refuse(child string, p problem, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals[child] = refusal{p, until}
}

// refused returns the refusal of a child that still holds, and drops one that does not.
func (m *memory) refused(child string, now time.Time) (refusal, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.refusals[child]
	if ok && !now.Before(r.until) {
		delete(m.refusals, child)
		return refusal{}, false
	}
	return r, ok
}
