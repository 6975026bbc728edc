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

// Command manager is a Kruise v1.8.0 manager reduced to image pulling: Kruise's ImagePullJob and NodeImage
// controllers, its webhook server and its certificate handling, with the ImageListPullJob plugin in place of
// Kruise's own list controller. With --list-controller=kruise it is the same build without the plugin at work.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	_ "time/tzdata"

	kruiseclient "github.com/openkruise/kruise/pkg/client"
	"github.com/openkruise/kruise/pkg/features"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	o, err := parseOptions(os.Args[1:])
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err == nil {
		ctrl.SetLogger(klog.NewKlogr())
		features.SetDefaultFeatureGates()
		err = run(ctrl.SetupSignalHandler(), o)
	}
	if err != nil {
		klog.ErrorS(err, "The manager stopped")
		klog.FlushAndExit(klog.ExitFlushTimeout, 1)
	}
	klog.Flush()
}

// run serves until ctx is done. The order is Kruise's: webhooks and certificates come first, controllers are added
// to the running manager once its webhooks answer.
func run(ctx context.Context, o *options) error {
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find a cluster (set --kubeconfig or KUBECONFIG): %w", err)
	}
	cfg.UserAgent = "kruise-manager"
	cfg.QPS, cfg.Burst = o.qps, o.burst

	// Kruise's certificate handling, discovery and event recording take their clients from this registry.
	if err := kruiseclient.NewRegistry(cfg); err != nil {
		return fmt.Errorf("set up Kruise's clients: %w", err)
	}
	mgr, err := newManager(cfg, o)
	if err != nil {
		return err
	}
	add, err := controllers(mgr, o)
	if err != nil {
		return err
	}
	if err := setUpWebhooks(ctx, mgr); err != nil {
		return err
	}
	if err := mgr.Add(&controllerSetup{mgr: mgr, add: add, ready: webhooksReady}); err != nil {
		return fmt.Errorf("schedule the controllers: %w", err)
	}
	klog.InfoS("Starting the manager", "listController", o.listController)
	return mgr.Start(ctx)
}
