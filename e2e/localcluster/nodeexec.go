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
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/cluster"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/node"
)

// nodeExecCommand becomes another program, after it has arranged what that program sees of the file system. It is
// started in a mount namespace of its own.
func nodeExecCommand() *cobra.Command {
	var root, run string
	var hideRun bool
	cmd := &cobra.Command{
		Use:    cluster.NodeExecCommand + " [--hide-run | --root DIR --run DIR] -- PROGRAM [ARGUMENT...]",
		Short:  "Run a program of a node in its own view of the file system",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := node.DetachMounts(); err != nil {
				return err
			}
			var err error
			switch {
			case hideRun:
				err = node.HideRun()
			case root != "":
				err = node.EnterDaemonRoot(root, run)
			}
			if err != nil {
				return err
			}
			return become(args)
		},
	}
	cmd.Flags().BoolVar(&hideRun, "hide-run", false, "show an empty /run")
	cmd.Flags().StringVar(&root, "root", "", "empty folder that becomes the root, a copy of the host's made of mounts")
	cmd.Flags().StringVar(&run, "run", "", "folder that appears as /hostvarrun in that root")
	return cmd
}

// become replaces this program by another. The kernel keeps the parent-death signal for each thread, and of all threads only the
// one that calls exec goes on: without setting it anew, the other program might outlive a supervisor that is killed.
func become(args []string) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("ask to end with the supervisor: %w", err)
	}
	if err := unix.Exec(args[0], args, os.Environ()); err != nil {
		return fmt.Errorf("run %s: %w", args[0], err)
	}
	return nil
}

// tryOverlayCommand succeeds when overlay mounts work below a folder.
func tryOverlayCommand() *cobra.Command {
	return &cobra.Command{
		Use:    cluster.TryOverlayCommand + " DIR",
		Short:  "Try an overlay mount",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := node.DetachMounts(); err != nil {
				return err
			}
			return node.TryOverlay(args[0])
		},
	}
}
