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
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/cluster"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

// supervisorGrace is how long the supervisor may take to stop everything.
const supervisorGrace = time.Minute

func downCommand() *cobra.Command {
	var dir string
	var keepLogs bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop the cluster, or clean up after one that crashed",
		Long:  "Stop the cluster and remove its folder. If its supervisor is gone, what is left of it is ended, unmounted and removed. With no cluster there, nothing is done.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(needRoot(), absolute(&dir)); err != nil {
				return err
			}
			said, err := down(dir, keepLogs)
			if err == nil {
				cmd.Println(said)
			}
			return err
		},
	}
	folderFlag(cmd, &dir)
	cmd.Flags().BoolVar(&keepLogs, "keep-logs", false, "leave the logs in the folder")
	return cmd
}

func down(dir string, keepLogs bool) (said string, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "No local cluster in " + dir, nil
	}
	s, err := state.Read(dir)
	if err != nil {
		return "", err
	}
	said = "Cleaned up " + dir
	if s != nil && supervised(s) {
		said = "The local cluster is stopped"
		if keepLogs {
			if err := cluster.KeepLogs(dir); err != nil {
				return "", err
			}
		}
		if err := proc.Identity(s.Supervisor).End(supervisorGrace); err != nil {
			return "", err
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return said, nil
		}
	}
	// Whatever the supervisor did not get to.
	lock, err := cluster.Claim(dir)
	if errors.Is(err, cluster.ErrLocked) {
		return "", fmt.Errorf("a local cluster is being started or stopped in %s: try again in a moment", dir)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	return said, cluster.CleanUp(dir, keepLogs)
}
