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

package imagelistpulljob

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// reconciler brings the children and the status of one list job to what its spec says.
type reconciler struct {
	// client reads from the cache of the plugin, live from the API server.
	client client.Client
	live   client.Reader

	recorder       record.EventRecorder
	clock          clock.PassiveClock
	statusInterval time.Duration
	// statusWrites holds when the status of a job (types.NamespacedName) was last written (time.Time). It delays writes, and
	// decides nothing.
	statusWrites sync.Map
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	s, err := r.observe(ctx, req.NamespacedName)
	if err != nil || s == nil {
		return reconcile.Result{}, err
	}
	p, err := makePlan(s, r.clock.Now())
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("plan %s: %w", req, err)
	}
	wait, err := r.apply(ctx, s, p)
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: sooner(p.requeueAfter, wait)}, nil
}

func (r *reconciler) lastStatusWrite(key types.NamespacedName) time.Time {
	if at, ok := r.statusWrites.Load(key); ok {
		return at.(time.Time)
	}
	return time.Time{}
}
