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
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// patience is how long Kruise may take to make, or delete, the NodeImages of nodes that came, or went.
const patience = time.Minute

// Nodes are the fake nodes of one spec.
type Nodes struct {
	client client.Client
	set    string
	script script
	daemon *daemon

	mu    sync.Mutex
	nodes []*corev1.Node
	made  int
	beat  context.CancelFunc
	group sync.WaitGroup
}

// New makes a set of nodes, still without any; its name is part of the names of its nodes, so it must be the spec's own. The scheme of
// the client must hold NodeImages.
func New(cfg *rest.Config, c client.Client, set string, log *slog.Logger) (*Nodes, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // as if each node had a client of its own
	own, err := client.New(cfg, client.Options{Scheme: c.Scheme()})
	if err != nil {
		return nil, err
	}
	n := &Nodes{client: own, set: set}
	if n.daemon, err = startDaemon(cfg, own, labels.SelectorFromSet(n.Labels()), &n.script, log); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.beat = cancel
	n.group.Add(1)
	go func() {
		defer n.group.Done()
		wait.UntilWithContext(ctx, n.renewLeases, heartbeat)
	}()
	return n, nil
}

// Labels are those of these nodes and of their NodeImages, and of nothing else.
func (n *Nodes) Labels() map[string]string { return map[string]string{Label: n.set} }

// Names returns the names of the nodes that are there now, in the order of the alphabet.
func (n *Nodes) Names() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	names := make([]string, len(n.nodes))
	for i := range n.nodes {
		names[i] = n.nodes[i].Name
	}
	return names
}

// Selector selects these nodes.
func (n *Nodes) Selector() *v1alpha1.ImagePullJobNodeSelector {
	return &v1alpha1.ImagePullJobNodeSelector{LabelSelector: v1alpha1.LabelSelector{
		MatchLabels: map[string]v1alpha1.LabelValue{Label: v1alpha1.LabelValue(n.set)},
	}}
}

// Add adds nodes, and returns their names once Kruise knows them.
func (n *Nodes) Add(ctx context.Context, count int) ([]string, error) {
	var names []string
	for range count {
		n.mu.Lock()
		n.made++
		name := fmt.Sprintf("%s-%03d", n.set, n.made)
		n.mu.Unlock()
		node := newNode(name, n.set, time.Now())
		if err := n.client.Create(ctx, node); err != nil {
			return nil, fmt.Errorf("create node %s: %w", name, err)
		}
		n.mu.Lock()
		n.nodes = append(n.nodes, node)
		n.mu.Unlock()
		if err := n.client.Create(ctx, newLease(node, time.Now())); err != nil {
			return nil, fmt.Errorf("create the lease of node %s: %w", name, err)
		}
		names = append(names, name)
	}
	return names, n.await(ctx, func(known sets.Set[string]) error {
		if missing := sets.New(names...).Difference(known); missing.Len() > 0 {
			return fmt.Errorf("no NodeImages of %v", sets.List(missing))
		}
		return nil
	})
}

// Remove removes nodes, and returns when Kruise has forgotten them.
func (n *Nodes) Remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		err := n.client.Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete node %s: %w", name, err)
		}
	}
	n.mu.Lock()
	n.nodes = slices.DeleteFunc(n.nodes, func(node *corev1.Node) bool { return slices.Contains(names, node.Name) })
	n.mu.Unlock()
	return n.await(ctx, func(known sets.Set[string]) error {
		if left := sets.New(names...).Intersection(known); left.Len() > 0 {
			return fmt.Errorf("there still are the NodeImages of %v", sets.List(left))
		}
		return nil
	})
}

// Close removes all nodes and ends the stand-in, which answers for as long as there is something to answer.
func (n *Nodes) Close(ctx context.Context) error {
	err := n.Remove(ctx, n.Names()...)
	n.beat()
	n.group.Wait()
	n.daemon.stop()
	return err
}

// Answer says how pulls of an image go from now on, those that hang included, on these nodes or, without nodes, on all, also on those
// that join later. A pull that is over is not changed by it.
func (n *Nodes) Answer(image string, outcome Outcome, nodes ...string) error {
	key, err := v1alpha1.ParseImageKey(image)
	if err != nil {
		return err
	}
	n.script.set(key, outcome, nodes)
	n.daemon.wakeUp(n.Names())
	return nil
}

func (n *Nodes) images(ctx context.Context) ([]kruisev1alpha1.NodeImage, error) {
	list := &kruisev1alpha1.NodeImageList{}
	err := n.client.List(ctx, list, client.MatchingLabels(n.Labels()))
	return list.Items, err
}

// await waits until the nodes that have a NodeImage are as they should be.
func (n *Nodes) await(ctx context.Context, check func(known sets.Set[string]) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		images, err := n.images(ctx)
		if err != nil {
			return false, err
		}
		known := sets.New[string]()
		for i := range images {
			known.Insert(images[i].Name)
		}
		last = check(known)
		return last == nil, nil
	})
	if wait.Interrupted(err) && last != nil {
		return fmt.Errorf("%w after %s", last, patience)
	}
	return err
}

func (n *Nodes) renewLeases(ctx context.Context) {
	n.mu.Lock()
	nodes := slices.Clone(n.nodes)
	n.mu.Unlock()
	for _, node := range nodes {
		patch := client.MergeFrom(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: leases, Name: node.Name}})
		if err := n.client.Patch(ctx, newLease(node, time.Now()), patch); client.IgnoreNotFound(err) != nil && ctx.Err() == nil {
			n.daemon.log.Info("The lease of a fake node is not renewed", "node", node.Name, "err", err)
		}
	}
}

// RemoveLeftovers removes the fake nodes of specs that were killed before they could.
func RemoveLeftovers(ctx context.Context, c client.Client) error {
	nodes := &corev1.NodeList{}
	if err := c.List(ctx, nodes, client.HasLabels{Label}); err != nil {
		return err
	}
	var errs []error
	for i := range nodes.Items {
		errs = append(errs, client.IgnoreNotFound(c.Delete(ctx, &nodes.Items[i])))
	}
	return errors.Join(errs...)
}
