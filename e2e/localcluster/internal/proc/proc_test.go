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

package proc

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func startSleep(t *testing.T) *Process {
	t.Helper()
	p, err := Start(Spec{Name: "sleep", Path: "/bin/sleep", Args: []string{"60"}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	return p
}

func TestIdentityIsOfThisProcessOnly(t *testing.T) {
	p := startSleep(t)
	if !p.Alive() {
		t.Error("a running process is not alive")
	}
	another := p.Identity
	another.StartTicks++
	if another.Alive() {
		t.Error("a process that started at another time is alive because its pid is in use")
	}
	if err := another.End(0); err != nil {
		t.Error(err)
	}
	if !p.Alive() {
		t.Error("a process was ended by an identity that is not its own")
	}
	if (Identity{}).Alive() {
		t.Error("no process is alive")
	}
	if err := p.End(time.Second); err != nil {
		t.Error(err)
	}
	<-p.Done()
	if p.Alive() || p.Stopping() || p.Exit() != "signal: terminated" {
		t.Errorf("alive %v, stopping %v, %s", p.Alive(), p.Stopping(), p.Exit())
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	pid, err := syscall.ForkExec("/bin/true", []string{"true"}, &syscall.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	ticks, _, err := readStat(pid)
	if err != nil {
		t.Fatal(err)
	}
	if !(Identity{PID: pid, StartTicks: ticks}).WaitGone(10 * time.Second) {
		t.Error("a process that ended and that nobody waited for is alive")
	}
	if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
		t.Error(err)
	}
}

func TestStopKillsWhatDoesNotStop(t *testing.T) {
	p, err := Start(Spec{
		Name: "stubborn", Path: "/bin/sh", Args: []string{"-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"},
		Env: []string{"PATH=/usr/bin:/bin"}, Log: filepath.Join(t.TempDir(), "log"),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(50 * time.Millisecond)
	if p.Alive() || !p.Stopping() {
		t.Errorf("alive %v, stopping %v", p.Alive(), p.Stopping())
	}
}

func TestParseStatOfAProgramWithAStrangeName(t *testing.T) {
	line := "4711 (a) S 1 (b) R) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 424242 20 21"
	ticks, zombie, err := parseStat([]byte(line))
	if err != nil || ticks != 424242 || zombie {
		t.Errorf("got %d, %v, %v", ticks, zombie, err)
	}
	if _, _, err := parseStat([]byte("4711 (a) S 1")); err == nil {
		t.Error("a cut line is accepted")
	}
}

func TestLastLine(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"nothing":                {"", ""},
		"blank lines at the end": {"one\ntwo\n\n  \n", "two"},
		"a panic is what counts": {"one\npanic: why\n\ngoroutine 1\nframe\n", "panic: why"},
		"an error before usage":  {"Error: unknown flag\nUsage:\n  x\n", "Error: unknown flag"},
		"longer than the window": {strings.Repeat("x\n", 20<<10) + "end\n", "end"},
		"a long line":            {strings.Repeat("y", 1000), strings.Repeat("y", 400) + " ..."},
	} {
		file := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := LastLine(file); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
	if got := LastLine(filepath.Join(t.TempDir(), "gone")); got != "" {
		t.Errorf("a file that is not there: got %q", got)
	}
}
