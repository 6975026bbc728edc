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

// Package proc starts the processes of the local cluster, stops them, and finds them again after a crash.
package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// Spec says how to start a process.
type Spec struct {
	Name string
	Path string
	Args []string
	// Env is the whole environment: nothing of the caller's leaks into a cluster part.
	Env []string
	Dir string
	Log string
	// PrivateMounts gives the process a mount namespace of its own: what it mounts is gone with it.
	PrivateMounts bool
}

// Process is one running part of the cluster. It dies with the program that started it, even if that is killed.
type Process struct {
	Name string
	Log  string
	Identity

	cmd      *exec.Cmd
	done     chan struct{}
	exit     error
	stopping atomic.Bool
}

// Start starts the process, with all its output in its log file.
func Start(spec Spec) (*Process, error) {
	if err := os.MkdirAll(filepath.Dir(spec.Log), 0o755); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()

	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = spec.Env, spec.Dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if spec.PrivateMounts {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS
	}
	onSpawnThread(func() { err = cmd.Start() })
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	p := &Process{Name: spec.Name, Log: spec.Log, cmd: cmd, done: make(chan struct{})}
	// The process cannot be reaped before Wait is called, so its status can be read even if it has ended already.
	ticks, _, err := readStat(cmd.Process.Pid)
	p.Identity = Identity{PID: cmd.Process.Pid, StartTicks: ticks}
	go func() {
		p.exit = cmd.Wait()
		close(p.done)
	}()
	return p, err
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stopping tells whether Stop was called: then the end of the process is no failure.
func (p *Process) Stopping() bool { return p.stopping.Load() }

// Exit says how the process ended, for people. Only valid after Done.
func (p *Process) Exit() string {
	if p.exit == nil {
		return "exit status 0"
	}
	return p.exit.Error()
}

// Stop asks the process to stop, kills it when it has not done so within the grace period, and waits for its end.
func (p *Process) Stop(grace time.Duration) {
	p.stopping.Store(true)
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only if it has ended
	select {
	case <-p.done:
	case <-time.After(grace):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}
