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
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

// Identity names one process for good: a pid alone may belong to another process by the time it is looked at, the
// moment at which the process started (in clock ticks since boot) cannot. Both are zero for no process.
type Identity state.Process

// Identify returns the identity of the process that has this pid now.
func Identify(pid int) (Identity, error) {
	ticks, zombie, err := readStat(pid)
	if err != nil {
		return Identity{}, err
	}
	if zombie {
		return Identity{}, os.ErrProcessDone
	}
	return Identity{PID: pid, StartTicks: ticks}, nil
}

// Alive tells whether this very process still runs. A zombie does not.
func (id Identity) Alive() bool {
	now, err := Identify(id.PID)
	return err == nil && id.PID > 0 && now == id
}

// Signal sends a signal to this very process; to one that is gone it does nothing.
func (id Identity) Signal(sig syscall.Signal) error {
	if !id.Alive() {
		return nil
	}
	if err := syscall.Kill(id.PID, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("send %s to process %d: %w", sig, id.PID, err)
	}
	return nil
}

// WaitGone waits until the process is gone, at most as long as given, and tells whether it is.
func (id Identity) WaitGone(limit time.Duration) bool {
	err := wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, limit, true, func(context.Context) (bool, error) {
		return !id.Alive(), nil
	})
	return err == nil
}

// End asks the process to stop, and kills it when it has not done so within the grace period.
func (id Identity) End(grace time.Duration) error {
	if err := id.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if id.WaitGone(grace) {
		return nil
	}
	if err := id.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	if !id.WaitGone(5 * time.Second) {
		return fmt.Errorf("process %d does not end even when killed", id.PID)
	}
	return nil
}

// readStat reads the fields of /proc/PID/stat that matter. The second field is the program's name in brackets and
// may itself hold blanks and brackets, so counting starts after the last closing one.
func readStat(pid int) (startTicks uint64, zombie bool, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false, err
	}
	return parseStat(b)
}

func parseStat(b []byte) (startTicks uint64, zombie bool, err error) {
	end := bytes.LastIndexByte(b, ')')
	fields := bytes.Fields(b[end+1:])
	const state, start = 0, 19 // fields 3 and 22 of proc(5)
	if end < 0 || len(fields) <= start {
		return 0, false, fmt.Errorf("unexpected process status %q", b)
	}
	startTicks, err = strconv.ParseUint(string(fields[start]), 10, 64)
	if err != nil {
		return 0, false, fmt.Errorf("unexpected start time in process status: %w", err)
	}
	s := fields[state][0]
	return startTicks, s == 'Z' || s == 'X', nil
}
