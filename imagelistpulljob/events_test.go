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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// A job of type Never does not finish, so that images without nodes are told by an event alone, once per transition.
func TestNoNodesMatchedOfANeverJobIsToldOnce(t *testing.T) {
	w := newWorld(t, newJob(images("a"), policy(v1alpha1.Never)))
	w.settle()
	w.events()
	wantEvents := func(want ...string) {
		t.Helper()
		w.sleep(time.Minute)
		w.settle()
		if diff := cmp.Diff(want, w.events()); diff != "" {
			t.Error(diff)
		}
	}
	w.host("a", 0, 0, 0)
	wantEvents(EventNoNodesMatched)
	w.host("a", 0, 0, 0)
	wantEvents()
	w.host("a", 1, 1, 0) // a node joins
	wantEvents()
	w.host("a", 0, 0, 0) // and leaves
	wantEvents(EventNoNodesMatched)
}
