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

package fakenodes

import (
	"testing"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

func TestScript(t *testing.T) {
	a, b := v1alpha1.ImageKey{Name: "a", Tag: "1"}, v1alpha1.ImageKey{Name: "b", Tag: "1"}
	s := &script{}
	expect := func(what string, image v1alpha1.ImageKey, node string, want Outcome) {
		t.Helper()
		if got := s.outcome(image, node); got != want {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	expect("nothing was said", a, "n1", Succeeds(0))

	s.set(a, Hangs(), nil)
	s.set(a, Fails("why"), []string{"n1", "n2"})
	expect("said of the node", a, "n2", Fails("why"))
	expect("said of all nodes", a, "n3", Hangs())
	expect("said of another image", b, "n1", Succeeds(0))

	s.set(a, Silent(), []string{"n1"})
	expect("said later of the node", a, "n1", Silent())
	expect("not said of this node", a, "n2", Fails("why"))

	s.set(a, Succeeds(0), nil)
	expect("said last of all nodes", a, "n1", Succeeds(0))
}
