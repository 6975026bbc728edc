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

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

func TestHealthyNamesEachPartThatIsGone(t *testing.T) {
	self, err := proc.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	running := state.Part{Name: "runs", Process: state.Process(self), Ready: true}
	recorded := state.Part{Name: "etcd", Exit: "signal: killed", LastLine: "why", Log: "/logs/etcd.log"}
	unrecorded := state.Part{Name: "gone", Process: state.Process{PID: self.PID, StartTicks: 1}, Ready: true}

	for name, tt := range map[string]struct {
		state state.State
		want  []string
	}{
		"all run":           {state.State{Phase: state.Running, Parts: []state.Part{running}}, nil},
		"still starting":    {state.State{Phase: state.Starting, Parts: []state.Part{running}}, []string{"starting"}},
		"one has died":      {state.State{Phase: state.Running, Parts: []state.Part{running, recorded}}, []string{"etcd has stopped (signal: killed)", "why", "/logs/etcd.log", "make stop"}},
		"one died just now": {state.State{Phase: state.Running, Parts: []state.Part{unrecorded}}, []string{"gone has stopped"}},
		"two have died":     {state.State{Phase: state.Running, Parts: []state.Part{unrecorded, recorded}}, []string{"gone has stopped", "etcd has stopped"}},
	} {
		err := healthy(&tt.state)
		if (err != nil) != (tt.want != nil) {
			t.Errorf("%s: got %v", name, err)
		}
		for _, part := range tt.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not say %q", name, err, part)
			}
		}
	}
}
