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
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/controlplane"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/node"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

// readyTimeout is how long a part may take to answer. Generous: the machine may be busy with a build.
const readyTimeout = 2 * time.Minute

// Cluster is a local cluster in the process that supervises it.
type Cluster struct {
	cfg         Config
	files       controlplane.Files
	ports       controlplane.Ports
	managerPort int // health
	nodes       []node.Node
	snapshotter node.Snapshotter
	registry    *registry.Registry
	client      client.Client
	record      *record
	report      *reporter
	// fail ends the start, with the reason.
	fail context.CancelCauseFunc

	mu      sync.Mutex
	running [waves][]*proc.Process
}

// The parts stop in waves, those of the last wave first: nothing then complains that what it talks to is gone.
const (
	waveStorage = iota
	waveServers
	waveClients
	waves
)

// Supervise runs a cluster until ctx is done, then stops it and removes its folder. Progress goes out line by line
// until the cluster runs. A cluster that does not start is stopped; its logs stay.
func Supervise(ctx context.Context, cfg Config, progress io.WriteCloser) error {
	defer func() { _ = progress.Close() }()
	startCtx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	c := &Cluster{
		cfg:    cfg,
		files:  controlplane.Files{Dir: cfg.path("pki")},
		nodes:  cfg.nodes(),
		record: &record{dir: cfg.Dir},
		report: &reporter{out: progress, nobody: func() { fail(errNobodyWaits) }},
		fail:   fail,
	}
	self, err := proc.Identify(os.Getpid())
	if err != nil {
		return err
	}
	c.record.change(func(s *state.State) {
		s.Phase, s.BootID, s.Started = state.Starting, BootID(), time.Now().UTC()
		s.Supervisor, s.Kubeconfig = state.Process(self), cfg.Kubeconfig()
	})
	err = c.start(startCtx)
	if cause := context.Cause(startCtx); err != nil && cause != nil {
		err = cause // rather than what broke because of it
	}
	if err == nil {
		c.record.change(func(s *state.State) { s.Phase = state.Running })
		c.report.send(Progress{Done: true})
		_ = progress.Close()
		<-ctx.Done()
	}
	c.stop()
	if err != nil && ctx.Err() == nil {
		return c.leaveFailed(err)
	}
	if err := unmountBelow(cfg.Dir); err != nil {
		return err
	}
	return removeAll(cfg.Dir, cfg.KeepLogs || wantsLogs(cfg.Dir))
}

var (
	errNobodyWaits = errors.New("whoever asked for the cluster is gone")
	errNotAsked    = errors.New("it was not asked yet")
)

// leaveFailed keeps what explains why the cluster did not start.
func (c *Cluster) leaveFailed(reason error) error {
	if err := removeAll(c.cfg.Dir, true); err != nil {
		slog.Error("The folder of the cluster cannot be cleaned", "err", err)
	}
	c.record.change(func(s *state.State) { s.Phase, s.Parts, s.Error = state.Failed, nil, reason.Error() })
	c.report.send(Progress{Done: true, Error: reason.Error()})
	return reason
}

// run starts a part and waits until its check succeeds; what the check returns is said about the part.
func (c *Cluster) run(ctx context.Context, wave int, spec proc.Spec, check func(context.Context) (string, error)) error {
	started := time.Now()
	spec.Log = c.cfg.log(spec.Name)
	p, err := c.launch(ctx, wave, spec)
	if err != nil {
		return err
	}
	var note string
	last := errNotAsked
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, readyTimeout, true, func(ctx context.Context) (bool, error) {
		note, last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s is not ready after %.0f s (%w); its log: %s", spec.Name, time.Since(started).Seconds(), last, p.Log)
	}
	c.record.ready(spec.Name)
	c.report.ready(spec.Name, started, note)
	return nil
}

func (c *Cluster) launch(ctx context.Context, wave int, spec proc.Spec) (*proc.Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err // the cluster may be stopping already: nothing may start behind its back
	}
	p, err := proc.Start(spec)
	if err != nil {
		return nil, err
	}
	c.running[wave] = append(c.running[wave], p)
	c.record.started(p)
	go func() {
		<-p.Done()
		if !p.Stopping() {
			err := c.record.ended(p)
			slog.Error("A part of the cluster has stopped", "err", err)
			c.fail(err) // once the cluster runs, this changes nothing: what still runs is left to be looked at
		}
	}()
	return p, nil
}

func (c *Cluster) stop() {
	c.record.change(func(s *state.State) { s.Phase = state.Stopping })
	c.mu.Lock()
	defer c.mu.Unlock()
	for wave := waves - 1; wave >= 0; wave-- {
		var group sync.WaitGroup
		for _, p := range c.running[wave] {
			group.Add(1)
			go func() { defer group.Done(); p.Stop(stopGrace) }()
		}
		group.Wait()
	}
	if c.registry != nil {
		if err := c.registry.Stop(); err != nil {
			slog.Error("The registry does not stop", "err", err)
		}
	}
}
