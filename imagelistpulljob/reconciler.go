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
	"time"

	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
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
	memories       memories
}

// errorRetry is the latest that a failed reconcile is repeated when the plan has an appointment: with the back-off of the queue
// alone a deadline could pass unnoticed for many minutes.
const errorRetry = 15 * time.Second

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	s, err := r.observe(ctx, req.NamespacedName)
	if err != nil || s == nil {
		return reconcile.Result{}, err
	}
	if s.stale {
		return reconcile.Result{RequeueAfter: conflictRetry}, nil
	}
	p, err := makePlan(s, r.clock.Now())
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("plan %s: %w", req, err)
	}
	wait, err := r.apply(ctx, s, p)
	next := sooner(p.requeueAfter, wait)
	if err != nil && next > 0 {
		log.FromContext(ctx).Error(err, "Reconcile failed", "requeueAfter", min(next, errorRetry))
		return reconcile.Result{RequeueAfter: min(next, errorRetry)}, nil
	}
	return reconcile.Result{RequeueAfter: next}, err
}
