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
	"sync"
	"time"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Outcome is how a pull goes on a fake node. The zero value succeeds at once.
type Outcome struct {
	after   time.Duration
	failure string
	hangs   bool
	silent  bool
}

// Succeeds ends a pull well, some time after it was started. The status of a node holds whole seconds, so it may be up to a second
// less.
func Succeeds(after time.Duration) Outcome { return Outcome{after: after} }

// Fails ends a pull at once, with this message.
func Fails(message string) Outcome { return Outcome{failure: message} }

// Hangs reports a pull that goes on until another outcome is set.
func Hangs() Outcome { return Outcome{hangs: true} }

// Silent reports nothing, like a node whose daemon is gone, until another outcome is set.
func Silent() Outcome { return Outcome{silent: true} }

// rule says for which pulls an outcome is; without node, for those of all nodes.
type rule struct {
	image v1alpha1.ImageKey
	node  string
}

// script holds the outcomes. What it does not hold succeeds at once.
type script struct {
	mu    sync.Mutex
	rules map[rule]Outcome
}

// set replaces what was said before of the image on these nodes or, without nodes, on any node.
func (s *script) set(image v1alpha1.ImageKey, outcome Outcome, nodes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules == nil {
		s.rules = map[rule]Outcome{}
	}
	for _, node := range nodes {
		s.rules[rule{image, node}] = outcome
	}
	if len(nodes) > 0 {
		return
	}
	for r := range s.rules {
		if r.image == image {
			delete(s.rules, r)
		}
	}
	s.rules[rule{image, ""}] = outcome
}

func (s *script) outcome(image v1alpha1.ImageKey, node string) Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	if outcome, ok := s.rules[rule{image, node}]; ok {
		return outcome
	}
	return s.rules[rule{image, ""}]
}
