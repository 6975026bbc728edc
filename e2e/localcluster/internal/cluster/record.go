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

package cluster

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

// record keeps the state file in step with what happens.
type record struct {
	mu    sync.Mutex
	dir   string
	state state.State
}

// change changes the state and writes it. A state that cannot be written is no reason to stop a cluster that runs.
func (r *record) change(f func(*state.State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.state)
	if err := state.Write(r.dir, &r.state); err != nil {
		slog.Error("The state of the cluster cannot be recorded", "err", err)
	}
}

func (r *record) started(p *proc.Process) {
	r.change(func(s *state.State) {
		s.Parts = append(s.Parts, state.Part{Name: p.Name, Process: state.Process(p.Identity), Started: time.Now().UTC(), Log: p.Log})
	})
}

func (r *record) ready(name string) {
	r.change(func(s *state.State) { s.Part(name).Ready = true })
}

// ended records that a part ended without being asked to, and returns what there is to say about it.
func (r *record) ended(p *proc.Process) error {
	var part state.Part
	r.change(func(s *state.State) {
		now := time.Now().UTC()
		found := s.Part(p.Name)
		found.Exit, found.Exited, found.LastLine = p.Exit(), &now, proc.LastLine(p.Log)
		part = *found
	})
	return EndedError(part)
}

// EndedError says in one line which part ended, how, and where to read on.
func EndedError(part state.Part) error {
	last := "it logged nothing"
	if part.LastLine != "" {
		last = fmt.Sprintf("its last log line: %s", part.LastLine)
	}
	return fmt.Errorf("%s has stopped (%s); %s; its log: %s", part.Name, part.Exit, last, part.Log)
}
