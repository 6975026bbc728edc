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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/cluster"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

// folderFlag adds --dir. The default is short: paths of unix sockets are below it, and those are limited.
func folderFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "dir", filepath.Join(os.TempDir(), "imagelistpulljob-localcluster"), "folder of the cluster; everything it writes is below it")
}

// needRoot refuses early what would fail half-way.
func needRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("root is needed (nodes mount file systems): run it with sudo -E")
	}
	return nil
}

// absolute makes --dir independent of the folder that a command is called in.
func absolute(dir *string) error {
	abs, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	// Mount points are listed without symbolic links.
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		abs = resolved
	}
	if strings.HasPrefix(abs+"/", "/run/") || strings.HasPrefix(abs+"/", "/var/run/") {
		return fmt.Errorf("--dir=%s: nodes do not see /run, choose another folder", *dir)
	}
	*dir = abs
	return nil
}

// readState returns the record of the cluster in the folder, or an error that says that there is none.
func readState(dir *string) (*state.State, error) {
	if err := absolute(dir); err != nil {
		return nil, err
	}
	s, err := state.Read(*dir)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("no local cluster in %s: start one with localcluster up (make run)", *dir)
	}
	return s, nil
}

// readRunning returns the record of the cluster in the folder, or an error if it does not run.
func readRunning(dir *string) (*state.State, error) {
	s, err := readState(dir)
	if err != nil {
		return nil, err
	}
	if s.Phase == state.Failed {
		return nil, fmt.Errorf("the cluster in %s did not start: %s", *dir, s.Error)
	}
	if !supervised(s) {
		return nil, fmt.Errorf("the cluster in %s has crashed: its supervisor (process %d) is gone; %s", *dir, s.Supervisor.PID, mend)
	}
	return s, nil
}

// supervised tells whether the cluster's supervisor is alive.
func supervised(s *state.State) bool {
	return s.BootID == cluster.BootID() && proc.Identity(s.Supervisor).Alive()
}
