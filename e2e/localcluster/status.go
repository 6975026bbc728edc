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
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/cluster"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

// mend is what helps whenever a part is gone: nothing in a local cluster is worth keeping.
const mend = "to mend it, run localcluster down and then localcluster up (make stop, make run)"

func statusCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the parts of the cluster; fails unless all of them run",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readRunning(&dir)
			if err != nil {
				return err
			}
			printParts(cmd.OutOrStdout(), s, time.Now())
			return healthy(s)
		},
	}
	folderFlag(cmd, &dir)
	return cmd
}

func printParts(out io.Writer, s *state.State, now time.Time) {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "PART\tSTATE\tPID\tAGE\tLOG")
	for _, part := range s.Parts {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", part.Name, partState(part), part.PID, duration.HumanDuration(now.Sub(part.Started)), part.Log)
	}
	_, _ = fmt.Fprintf(table, "registry\tready\t%d\t%s\t%s\n", s.Supervisor.PID, duration.HumanDuration(now.Sub(s.Started)), s.AccessLog)
	_ = table.Flush()
}

func partState(part state.Part) string {
	switch {
	case part.Exit != "" || !proc.Identity(part.Process).Alive():
		return "stopped"
	case part.Ready:
		return "ready"
	default:
		return "starting"
	}
}

// healthy returns one error a line for each part that does not run, in the order in which they went.
func healthy(s *state.State) error {
	if s.Phase != state.Running {
		return fmt.Errorf("the cluster is %s", s.Phase)
	}
	var gone []error
	for _, part := range s.Parts {
		if partState(part) != "stopped" {
			continue
		}
		if part.Exit == "" { // the supervisor has not got to it yet
			part.Exit, part.LastLine = "just now", proc.LastLine(part.Log)
		}
		gone = append(gone, fmt.Errorf("%w; %s", cluster.EndedError(part), mend))
	}
	return errors.Join(gone...)
}

func kubeconfigCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the path of the administrator's kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readRunning(&dir)
			if err != nil {
				return err
			}
			cmd.Println(s.Kubeconfig)
			return nil
		},
	}
	folderFlag(cmd, &dir)
	return cmd
}
