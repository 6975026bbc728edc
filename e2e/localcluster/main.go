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

// Command localcluster runs a whole cluster in which images are really pulled, on one Linux machine and without
// containers: a control plane, an image registry, nodes that are a containerd and a kruise-daemon each, and a Kruise
// manager with the ImageListPullJob plugin.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// errSilent ends the program unsuccessfully when everything has been said.
var errSilent = errors.New("")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := rootCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		if !errors.Is(err, errSilent) {
			fmt.Fprintln(os.Stderr, "localcluster: "+err.Error())
		}
		os.Exit(1)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "localcluster",
		Short:         "A local cluster that really pulls images",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
	}
	root.SetOut(os.Stdout) // also for Println and Printf
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(upCommand(), downCommand(), statusCommand(), kubeconfigCommand(), envCommand(), imagesCommand())
	root.AddCommand(superviseCommand(), nodeExecCommand(), tryOverlayCommand())
	return root
}
