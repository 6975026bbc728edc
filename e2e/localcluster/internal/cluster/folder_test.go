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
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

func TestFolderIsClaimedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cluster")
	lock, err := Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("a second claim gave %v, want ErrLocked", err)
	}
	_ = lock.Close()
	again, err := Claim(dir)
	if err != nil {
		t.Fatalf("after the first was released: %v", err)
	}
	_ = again.Close()
}

func TestFolderOfSomebodyElseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(dir); err == nil {
		t.Error("a folder with foreign files was claimed")
	}
	if err := CleanUp(dir, false); err == nil {
		t.Error("a folder with foreign files was cleaned up")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestCleanUpAfterACrash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cluster")
	lock, err := Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	left, stranger := startSleep(t), startSleep(t)
	reused := state.Process(stranger.Identity)
	reused.StartTicks-- // the pid of a part that ended, now somebody else's
	err = state.Write(dir, &state.State{BootID: BootID(), Parts: []state.Part{
		{Name: "left", Process: state.Process(left.Identity)},
		{Name: "reused", Process: reused},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		if err := CleanUp(dir, false); err != nil {
			t.Fatal(err)
		}
	}
	if left.Alive() {
		t.Error("a left part still runs")
	}
	if !stranger.Alive() {
		t.Error("a process that only has the pid of a former part was ended")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there (%v)", err)
	}
}

func TestCleanUpTouchesNoProcessOfAnotherBoot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cluster")
	lock, err := Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	p := startSleep(t)
	if err := state.Write(dir, &state.State{BootID: "another", Parts: []state.Part{{Process: state.Process(p.Identity)}}}); err != nil {
		t.Fatal(err)
	}
	if err := CleanUp(dir, false); err != nil {
		t.Fatal(err)
	}
	if !p.Alive() {
		t.Error("a process was ended on the word of a record from before the machine was started")
	}
}

func TestCleanUpThatLeavesLogs(t *testing.T) {
	for name, ask := range map[string]func(dir string) (leaveLogs bool, err error){
		"by flag":           func(string) (bool, error) { return true, nil },
		"by who stopped it": func(dir string) (bool, error) { return false, KeepLogs(dir) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cluster")
			lock, err := Claim(dir)
			if err != nil {
				t.Fatal(err)
			}
			log := filepath.Join(dir, logsDir, "etcd.log")
			err = errors.Join(
				os.WriteFile(log, nil, 0o600),
				os.MkdirAll(filepath.Join(dir, "node-1", "root"), 0o700),
				state.Write(dir, &state.State{}))
			if err != nil {
				t.Fatal(err)
			}
			leaveLogs, err := ask(dir)
			if err := errors.Join(err, CleanUp(dir, leaveLogs)); err != nil {
				t.Fatal(err)
			}
			_ = lock.Close()
			if _, err := os.Stat(log); err != nil {
				t.Errorf("the log is gone: %v", err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 2 {
				t.Errorf("%v is left, want the logs and the marker", entries)
			}
			again, err := Claim(dir)
			if err != nil {
				t.Fatalf("the next cluster cannot have the folder: %v", err)
			}
			_ = again.Close()
		})
	}
}

func startSleep(t *testing.T) *proc.Process {
	t.Helper()
	p, err := proc.Start(proc.Spec{Name: "sleep", Path: "/bin/sleep", Args: []string{"60"}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(time.Second) })
	return p
}
