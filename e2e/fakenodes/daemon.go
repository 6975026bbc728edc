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

package fakenodes

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// workers is how many nodes answer at the same time.
const workers = 4

// daemon stands in for the kruise-daemons of a set of nodes.
type daemon struct {
	client client.Client
	cache  cache.Cache
	queue  workqueue.TypedRateLimitingInterface[string]
	script *script
	log    *slog.Logger
	cancel context.CancelFunc
	group  sync.WaitGroup
}

// startDaemon answers for the nodes with these labels until stop is called.
func startDaemon(cfg *rest.Config, c client.Client, nodes labels.Selector, s *script, log *slog.Logger) (*daemon, error) {
	images, err := cache.New(cfg, cache.Options{
		Scheme:   c.Scheme(),
		ByObject: map[client.Object]cache.ByObject{&kruisev1alpha1.NodeImage{}: {Label: nodes}},
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &daemon{
		client: c, cache: images, script: s, log: log, cancel: cancel,
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](50*time.Millisecond, 5*time.Second)),
	}
	if err := d.watch(ctx); err != nil {
		cancel()
		return nil, err
	}
	for range workers {
		d.run(func() { d.work(ctx) })
	}
	return d, nil
}

func (d *daemon) watch(ctx context.Context) error {
	d.run(func() {
		if err := d.cache.Start(ctx); err != nil {
			d.log.Error("The fake nodes see no NodeImages", "err", err)
		}
	})
	informer, err := d.cache.GetInformer(ctx, &kruisev1alpha1.NodeImage{})
	if err != nil {
		return fmt.Errorf("watch NodeImages: %w", err)
	}
	enqueue := func(obj any) {
		if image, ok := obj.(*kruisev1alpha1.NodeImage); ok {
			d.queue.Add(image.Name)
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, obj any) { enqueue(obj) },
	})
	return err
}

func (d *daemon) run(f func()) {
	d.group.Add(1)
	go func() { defer d.group.Done(); f() }()
}

func (d *daemon) stop() {
	d.cancel()
	d.queue.ShutDown()
	d.group.Wait()
}

func (d *daemon) work(ctx context.Context) {
	for {
		node, shutdown := d.queue.Get()
		if shutdown {
			return
		}
		wake, err := d.sync(ctx, node)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			d.log.Info("A fake node tries again to report its status", "node", node, "err", err)
			d.queue.AddRateLimited(node)
		case wake > 0:
			d.queue.Forget(node)
			d.queue.AddAfter(node, wake)
		default:
			d.queue.Forget(node)
		}
		d.queue.Done(node)
	}
}

// sync brings the status of one node up to date, and returns when it has more to say.
func (d *daemon) sync(ctx context.Context, node string) (time.Duration, error) {
	known := &kruisev1alpha1.NodeImage{}
	if err := d.cache.Get(ctx, types.NamespacedName{Name: node}, known); err != nil {
		return 0, client.IgnoreNotFound(err)
	}
	if known.DeletionTimestamp != nil {
		return 0, nil
	}
	status, wake := answer(known, d.script, time.Now())
	if equality.Semantic.DeepEqual(known.Status, status) {
		return wake, nil
	}
	known.Status = status
	err := d.client.Status().Update(ctx, known)
	if apierrors.IsConflict(err) {
		return 0, nil // the watch brings what was newer
	}
	return wake, client.IgnoreNotFound(err)
}

// wakeUp makes all nodes look again at what they were told.
func (d *daemon) wakeUp(nodes []string) {
	for _, node := range nodes {
		d.queue.Add(node)
	}
}
