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
	"strings"
	"testing"

	"github.com/openkruise/kruise/pkg/features"
	utilfeature "github.com/openkruise/kruise/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

func TestParseOptions(t *testing.T) {
	tests := map[string]struct {
		args    []string
		wantErr string
	}{
		"no flags":                         {},
		"the flags of Kruise's deployment": {args: strings.Fields("--enable-leader-election --metrics-addr=:8080 --health-probe-addr=:8000 --leader-election-namespace=kruise-system --v=4 --feature-gates=ImagePullJobGate=true --sync-period=1h --rest-config-qps=30 --rest-config-burst=50 --enable-pprof --pprof-addr=:8090 --logtostderr=true")},
		"Kruise's own list controller":     {args: []string{"--list-controller=kruise"}},
		"an unknown list controller":       {args: []string{"--list-controller=both"}, wantErr: "--list-controller=both: must be plugin or kruise"},
		"an unknown feature gate":          {args: []string{"--feature-gates=ImagePull=true"}, wantErr: "ImagePull"},
		"an argument":                      {args: []string{"start"}, wantErr: `unexpected argument "start"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			keepGate(t, features.ImagePullJobGate)
			_, err := parseOptions(tt.args)
			if tt.wantErr == "" && err != nil {
				t.Fatalf("parseOptions: %v", err)
			}
			if tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
				t.Fatalf("parseOptions: got error %v, want one that says %q", err, tt.wantErr)
			}
		})
	}
}

func TestParseOptionsSetsWhatIsRegisteredElsewhere(t *testing.T) {
	keepGate(t, features.ImagePullJobGate)
	o, err := parseOptions(strings.Fields("--feature-gates=ImagePullJobGate=true --nodeimage-creation-delay=0 --kubeconfig=k --namespace=one"))
	if err != nil {
		t.Fatalf("parseOptions: %v", err)
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.ImagePullJobGate) {
		t.Error("ImagePullJobGate is off, want on")
	}
	if got := o.namespaces(); len(got) != 1 || got[0] != "one" {
		t.Errorf("namespaces() = %q, want [one]", got)
	}
}

// keepGate puts a process-wide feature gate back when the test is over.
func keepGate(t *testing.T, gate featuregate.Feature) {
	t.Helper()
	t.Cleanup(utilfeature.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, gate, utilfeature.DefaultFeatureGate.Enabled(gate)))
}
