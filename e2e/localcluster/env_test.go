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
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

func TestEnvSurvivesAShell(t *testing.T) {
	var script strings.Builder
	printEnv(&script, &state.State{
		Kubeconfig: "/tmp/it's $HOME/kubeconfig", Registry: "127.0.0.1:5000", AccessLog: "/tmp/it's $HOME/logs/registry-access.log",
	})
	script.WriteString(`printf '%s\n' "$KUBECONFIG" "$E2E_REGISTRY" "$E2E_LOGS"`)
	got, err := exec.Command("sh", "-c", script.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "/tmp/it's $HOME/kubeconfig\nhttp://127.0.0.1:5000\n/tmp/it's $HOME/logs\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
