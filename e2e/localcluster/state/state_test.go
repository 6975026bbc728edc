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

package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStateIsReadAsWritten(t *testing.T) {
	dir := t.TempDir()
	exited := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := &State{
		Phase: Running, BootID: "b", Supervisor: Process{PID: 7, StartTicks: 1 << 60},
		Parts: []Part{{Name: "etcd", Process: Process{PID: 8, StartTicks: 9}, Exit: "signal: killed", Exited: &exited}},
		Nodes: []Node{{Name: "node-1", Socket: "/s"}},
	}
	for range 2 { // the second time over the first
		if err := Write(dir, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if part := got.Part("etcd"); part == nil || part.PID != 8 {
		t.Errorf("part etcd is %+v", part)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files in the folder, want the record alone", len(entries))
	}
}

func TestNoState(t *testing.T) {
	for name, dir := range map[string]string{"an empty folder": t.TempDir(), "no folder": filepath.Join(t.TempDir(), "gone")} {
		if s, err := Read(dir); s != nil || err != nil {
			t.Errorf("%s: got %v, %v, want nothing", name, s, err)
		}
	}
}

func TestBrokenStateSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, File), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "remove the folder") {
		t.Errorf("got %v", err)
	}
}
