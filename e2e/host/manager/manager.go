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

	kruiseapis "github.com/openkruise/kruise/apis"
	kruiseutil "github.com/openkruise/kruise/pkg/util"
	kruiseutilclient "github.com/openkruise/kruise/pkg/util/client"
	webhookutil "github.com/openkruise/kruise/pkg/webhook/util"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

func newManager(cfg *rest.Config, o *options) (manager.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	opts := ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 metricsserver.Options{BindAddress: o.metricsAddr},
		HealthProbeBindAddress:  o.healthProbeAddr,
		LeaderElection:          o.enableLeaderElection,
		LeaderElectionID:        o.leaderElectionID,
		LeaderElectionNamespace: o.leaderElectionNamespace,
		// Kruise's controllers list without copying, which only its own cache can do.
		NewCache: kruiseutilclient.NewCache,
		WebhookServer: webhook.NewServer(webhook.Options{
			Host:    o.webhookBindAddr,
			Port:    webhookutil.GetPort(),
			CertDir: webhookutil.GetCertDir(),
		}),
	}
	if o.enablePprof {
		opts.PprofBindAddress = o.pprofAddr
	}
	if o.syncPeriod > 0 {
		opts.Cache.SyncPeriod = &o.syncPeriod
	}
	for _, ns := range o.namespaces() {
		opts.Cache.DefaultNamespaces = map[string]cache.Config{ns: {}}
	}
	kruiseutil.SetControllerCacheSyncTimeout(o.cacheSyncTimeout)

	mgr, err := ctrl.NewManager(cfg, opts)
	if err != nil {
		return nil, fmt.Errorf("create the manager: %w", err)
	}
	if err := addIndexes(mgr.GetCache()); err != nil {
		return nil, fmt.Errorf("index the cache (is the apiserver reachable, are Kruise's CRDs installed?): %w", err)
	}
	return mgr, nil
}

// newScheme holds Kruise's own Go types. client-go's scheme gets them too: the clients that Kruise's controllers
// make for themselves use that one.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []struct {
		to  *runtime.Scheme
		add func(*runtime.Scheme) error
	}{
		{scheme, clientgoscheme.AddToScheme},
		{scheme, kruiseapis.AddToScheme},
		{clientgoscheme.Scheme, kruiseapis.AddToScheme},
	} {
		if err := add.add(add.to); err != nil {
			return nil, fmt.Errorf("fill the scheme: %w", err)
		}
	}
	return scheme, nil
}
