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
	"context"
	"fmt"
	"time"

	kruiselist "github.com/openkruise/kruise/pkg/controller/imagelistpulljob"
	"github.com/openkruise/kruise/pkg/controller/imagepulljob"
	"github.com/openkruise/kruise/pkg/controller/nodeimage"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// addFunc is the type that Kruise keeps its controllers as.
type addFunc = func(manager.Manager) error

// controllers is Kruise's own, unexported list, cut to image pulling. It is asked for before the webhooks are
// registered, since the choice of the list controller is also that of its handlers.
func controllers(mgr manager.Manager, o *options) ([]addFunc, error) {
	list := kruiselist.Add
	if o.listController == listControllerPlugin {
		var err error
		if list, err = usePlugin(mgr, o.namespaces()); err != nil {
			return nil, fmt.Errorf("use the plugin: %w", err)
		}
	}
	return []addFunc{nodeimage.Add, imagepulljob.Add, list}, nil
}

// controllerSetup adds controllers to the running manager as soon as it is ready: a controller that starts before
// the webhooks answer would have its first writes refused.
type controllerSetup struct {
	mgr   manager.Manager
	add   []addFunc
	ready func() error
}

var _ manager.LeaderElectionRunnable = &controllerSetup{}

// NeedLeaderElection is false as in Kruise: every replica adds its controllers, each of which waits for the lease.
func (*controllerSetup) NeedLeaderElection() bool { return false }

// Start returns once the controllers are added; an error of it stops the manager.
func (s *controllerSetup) Start(ctx context.Context) error {
	if err := waitUntil(ctx, s.ready); err != nil {
		return nil //nolint:nilerr // ctx is done: the manager is being stopped, which is no failure.
	}
	for _, add := range s.add {
		// Kruise goes on without a controller whose CRD is absent, so a host does.
		if err := add(s.mgr); meta.IsNoMatchError(err) {
			klog.InfoS("CRD not found, going on without its controller", "reason", err.Error())
		} else if err != nil {
			return fmt.Errorf("add a controller: %w", err)
		}
	}
	klog.InfoS("Controllers added")
	return nil
}

// waitUntil returns nil when ready does, and an error only when ctx is done. It says every few seconds what is missing.
func waitUntil(ctx context.Context, ready func() error) error {
	const interval, reportEvery = 250 * time.Millisecond, 20
	attempts := 0
	return wait.PollUntilContextCancel(ctx, interval, true, func(context.Context) (bool, error) {
		err := ready()
		if attempts++; err != nil && attempts%reportEvery == 0 {
			klog.InfoS("Waiting for the webhooks to answer", "reason", err.Error())
		}
		return err == nil, nil
	})
}
