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
	"flag"
	"fmt"
	"time"

	utilfeature "github.com/openkruise/kruise/pkg/util/feature"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
)

// The values of --list-controller.
const (
	listControllerPlugin = "plugin"
	listControllerKruise = "kruise"
)

// options are the flags of Kruise's manager that matter here, with Kruise's names and defaults, and two of our own:
// --list-controller and --webhook-bind-address. Profiling is off by default, so that two managers fit one machine.
type options struct {
	metricsAddr             string
	healthProbeAddr         string
	webhookBindAddr         string
	enablePprof             bool
	pprofAddr               string
	enableLeaderElection    bool
	leaderElectionNamespace string
	leaderElectionID        string
	namespace               string
	syncPeriod              time.Duration
	cacheSyncTimeout        time.Duration
	qps                     float32
	burst                   int
	listController          string
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	fs := pflag.NewFlagSet("kruise-manager", pflag.ContinueOnError)
	fs.StringVar(&o.listController, "list-controller", listControllerPlugin,
		"Who serves ImageListPullJobs: plugin, or kruise for Kruise's own controller and webhooks.")
	fs.StringVar(&o.webhookBindAddr, "webhook-bind-address", "",
		"The IP address on which webhooks are served; empty means all. The port is the environment's WEBHOOK_PORT.")
	fs.StringVar(&o.metricsAddr, "metrics-addr", ":8080", "The address on which metrics are served; 0 turns them off.")
	fs.StringVar(&o.healthProbeAddr, "health-probe-addr", ":8000", "The address on which /healthz and /readyz are served.")
	fs.BoolVar(&o.enablePprof, "enable-pprof", false, "Serve profiles on --pprof-addr.")
	fs.StringVar(&o.pprofAddr, "pprof-addr", ":8090", "The address on which profiles are served.")
	fs.BoolVar(&o.enableLeaderElection, "enable-leader-election", true, "Reconcile only while holding the leader lease.")
	fs.StringVar(&o.leaderElectionNamespace, "leader-election-namespace", "kruise-system", "The namespace of the leader lease.")
	fs.StringVar(&o.leaderElectionID, "leader-election-id", "kruise-manager", "The name of the leader lease.")
	fs.StringVar(&o.namespace, "namespace", "", "The only namespace to serve; empty means all.")
	fs.DurationVar(&o.syncPeriod, "sync-period", 0, "How often everything is reconciled anew; 0 means the library's default.")
	fs.DurationVar(&o.cacheSyncTimeout, "controller-cache-sync-timeout", 2*time.Minute, "How long a controller may wait for its caches.")
	fs.Float32Var(&o.qps, "rest-config-qps", 30, "Requests a second to the apiserver, for each client.")
	fs.IntVar(&o.burst, "rest-config-burst", 50, "Requests to the apiserver that may exceed --rest-config-qps at once, for each client.")

	utilfeature.DefaultMutableFeatureGate.AddFlag(fs)
	// Kruise's packages and controller-runtime put their flags here: --kubeconfig, --nodeimage-creation-delay, the worker counts.
	goFlags := flag.CommandLine
	if goFlags.Lookup("v") == nil {
		klog.InitFlags(goFlags)
	}
	fs.AddGoFlagSet(goFlags)

	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: everything is set by flags, see --help", fs.Arg(0))
	}
	if o.listController != listControllerPlugin && o.listController != listControllerKruise {
		return nil, fmt.Errorf("--list-controller=%s: must be %s or %s", o.listController, listControllerPlugin, listControllerKruise)
	}
	return o, nil
}

// namespaces is what a cache is restricted to; empty means nothing.
func (o *options) namespaces() []string {
	if o.namespace == "" {
		return nil
	}
	return []string{o.namespace}
}
