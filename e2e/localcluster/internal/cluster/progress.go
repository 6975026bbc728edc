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
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress is one line from the supervisor to whoever waits for the start.
type Progress struct {
	// Part is ready, after so many Seconds from its own start. Note says something about it.
	Part    string  `json:"part,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Note    string  `json:"note,omitempty"`
	// Done is the last line: the cluster runs, or Error says why it does not.
	Done  bool   `json:"done,omitempty"`
	Error string `json:"error,omitempty"`
}

// String is the line that a person sees.
func (p Progress) String() string {
	line := fmt.Sprintf("%-28s ready %6.1f s", p.Part, p.Seconds)
	if p.Note != "" {
		line += "   " + p.Note
	}
	return line
}

// reporter sends progress. When nobody listens any more, whoever asked for the cluster was killed, and it is not wanted.
type reporter struct {
	mu     sync.Mutex
	out    io.Writer
	nobody func()
}

func (r *reporter) send(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := json.NewEncoder(r.out).Encode(p); err != nil {
		r.nobody()
	}
}

func (r *reporter) ready(part string, since time.Time, note string) {
	r.send(Progress{Part: part, Seconds: time.Since(since).Seconds(), Note: note})
}
