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
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

func envCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print what the e2e suite needs to know of the cluster, for eval in a shell",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readRunning(&dir)
			if err != nil {
				return err
			}
			printEnv(cmd.OutOrStdout(), s)
			return nil
		},
	}
	folderFlag(cmd, &dir)
	return cmd
}

// printEnv prints where the API, the registry and the logs of manager and daemons are.
func printEnv(out io.Writer, s *state.State) {
	for _, variable := range [][2]string{
		{"KUBECONFIG", s.Kubeconfig},
		{"E2E_REGISTRY", "http://" + s.Registry},
		{"E2E_LOGS", filepath.Dir(s.AccessLog)},
	} {
		_, _ = fmt.Fprintf(out, "export %s=%s\n", variable[0], shellQuoted(variable[1]))
	}
}

// shellQuoted keeps a shell from reading anything into a value.
func shellQuoted(value string) string {
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
