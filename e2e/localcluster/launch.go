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
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/cluster"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
)

// configFile is how the configuration reaches the supervisor; it also shows afterwards what a cluster was made of.
const configFile = "config.json"

// The files that the supervisor inherits.
const (
	progressFD = 3
	lockFD     = 4
)

// launch starts the supervisor, in a session of its own so that no terminal ends it, and shows its progress until
// the cluster runs. When ctx is done before, the supervisor is told to stop and waited for.
func launch(ctx context.Context, cfg cluster.Config, lock *os.File, out io.Writer) error {
	content, err := json.MarshalIndent(cfg, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(cfg.Dir, configFile), content, 0o600); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(cfg.SupervisorLog(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	progress, progressOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = progress.Close() }()

	supervisor := exec.Command(self, superviseName, cfg.Dir)
	supervisor.Dir, supervisor.Stdout, supervisor.Stderr = cfg.Dir, log, log
	supervisor.ExtraFiles = []*os.File{progressFD - 3: progressOut, lockFD - 3: lock}
	supervisor.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = supervisor.Start()
	_ = progressOut.Close()
	if err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	stopWatching := context.AfterFunc(ctx, func() {
		_, _ = fmt.Fprintln(out, "Stopping")
		_ = supervisor.Process.Signal(syscall.SIGTERM)
	})
	defer stopWatching()
	err = follow(ctx, progress, supervisor, cfg.SupervisorLog(), out)
	if status := supervisor.ProcessState; status != nil && ctx.Err() != nil && !status.Exited() {
		// It was told to stop before it could hear that, and so removed nothing. The lock is still ours.
		err = errors.Join(err, cluster.CleanUp(cfg.Dir, cfg.KeepLogs))
	}
	return err
}

// follow shows progress lines until the last one.
func follow(ctx context.Context, progress io.Reader, supervisor *exec.Cmd, log string, out io.Writer) error {
	for lines := json.NewDecoder(progress); ; {
		var p cluster.Progress
		err := lines.Decode(&p)
		switch {
		case err != nil:
			ended := supervisor.Wait()
			if ctx.Err() != nil {
				return errors.New("interrupted; everything that had been started is stopped")
			}
			if ended == nil {
				ended = errors.New("exit status 0")
			}
			return fmt.Errorf("the supervisor ended before the cluster was ready (%w); %s; its log: %s", ended, proc.LastLine(log), log)
		case p.Error != "":
			_ = supervisor.Wait()
			return fmt.Errorf("the cluster did not start: %s (everything else is stopped; when mended, run localcluster up again)", p.Error)
		case p.Done:
			return nil
		default:
			_, _ = fmt.Fprintln(out, p)
		}
	}
}

const superviseName = "supervise"

func superviseCommand() *cobra.Command {
	return &cobra.Command{
		Use:    superviseName + " DIR",
		Short:  "Run the cluster that up has prepared",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The parts must inherit neither: the pipe would stay open, the lock held.
			syscall.CloseOnExec(progressFD)
			syscall.CloseOnExec(lockFD)
			signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP)
			content, err := os.ReadFile(filepath.Join(args[0], configFile))
			if err != nil {
				return err
			}
			var cfg cluster.Config
			if err := json.Unmarshal(content, &cfg); err != nil {
				return err
			}
			lock := os.NewFile(lockFD, "lock")
			defer func() { _ = lock.Close() }()
			err = cluster.Supervise(cmd.Context(), cfg, os.NewFile(progressFD, "progress"))
			slog.Info("The supervisor ends", "err", err)
			return err
		},
	}
}
