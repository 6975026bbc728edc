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

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/controlplane"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/pki"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

// start brings everything up. What does not depend on each other starts together: the control plane needs seconds,
// and in that time registry and nodes become ready.
func (c *Cluster) start(ctx context.Context) error {
	if err := c.prepare(); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.startControlPlane(groupCtx) })
	group.Go(func() error { return c.fillRegistry(groupCtx) })
	versions := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		group.Go(func() (err error) {
			versions[i], err = c.startContainerd(groupCtx, n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}

	group, groupCtx = errgroup.WithContext(ctx)
	// The garbage collector learns of new kinds only every 30 s: it starts when the CRDs are there.
	group.Go(func() error { return c.startControllerManager(groupCtx) })
	group.Go(func() error { return c.startManager(groupCtx) })
	for i, n := range c.nodes {
		group.Go(func() error {
			if err := createNode(groupCtx, c.client, n, versions[i]); err != nil {
				return err
			}
			return c.startDaemon(groupCtx, n)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return c.proveItWorks(ctx)
}

// prepare chooses ports, opens the registry, and writes what the parts read.
func (c *Cluster) prepare() error {
	if err := c.choosePorts(); err != nil {
		return err
	}
	accessLog, err := os.OpenFile(c.cfg.accessLog(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	if c.registry, err = registry.Start(fmt.Sprintf("127.0.0.1:%d", c.cfg.Ports.Registry), accessLog); err != nil {
		return err
	}
	c.record.change(func(s *state.State) {
		s.Registry, s.AccessLog = c.registry.Addr(), c.cfg.accessLog()
		s.ManagerKubeconfig = c.cfg.path("manager", "kubeconfig")
		s.ManagerMetrics = fmt.Sprintf("http://127.0.0.1:%d/metrics", c.cfg.Ports.Metrics)
		for _, n := range c.nodes {
			s.Nodes = append(s.Nodes, state.Node{
				Name: n.Name, Socket: n.Socket(), DaemonMetrics: fmt.Sprintf("http://127.0.0.1:%d/metrics", n.DaemonPort),
			})
		}
	})
	if c.snapshotter, err = c.chooseSnapshotter(); err != nil {
		return err
	}
	for _, n := range c.nodes {
		if err := n.Prepare(c.registry.Addr(), c.snapshotter); err != nil {
			return err
		}
	}
	authority, err := c.files.Write()
	if err != nil {
		return err
	}
	return errors.Join(
		c.writeKubeconfig(authority, c.cfg.Kubeconfig(), "local-admin", "system:masters"),
		c.writeKubeconfig(authority, c.controllerManagerKubeconfig(), "system:kube-controller-manager"))
}

func (c *Cluster) controllerManagerKubeconfig() string {
	return c.files.Dir + "/controller-manager.kubeconfig"
}

func (c *Cluster) writeKubeconfig(authority *pki.Authority, file, user string, groups ...string) error {
	pair, err := authority.Client(user, groups...)
	if err != nil {
		return err
	}
	return controlplane.WriteKubeconfig(file, c.files, c.ports.APIServer, controlplane.WithCertificate(pair))
}

// choosePorts gives every port that nobody asked for a free one.
func (c *Cluster) choosePorts() error {
	wanted := []*int{
		&c.ports.Etcd, &c.ports.EtcdMetrics, &c.ports.ControllerManager, &c.managerPort,
		&c.cfg.Ports.APIServer, &c.cfg.Ports.Webhook, &c.cfg.Ports.Metrics,
	}
	for i := range c.nodes {
		wanted = append(wanted, &c.nodes[i].DaemonPort)
	}
	free, err := controlplane.FreePorts(len(wanted))
	if err != nil {
		return err
	}
	for i, port := range wanted {
		if *port == 0 {
			*port = free[i]
		}
	}
	c.ports.APIServer = c.cfg.Ports.APIServer
	return nil
}

func (c *Cluster) fillRegistry(ctx context.Context) error {
	started := time.Now()
	images := append(append([]string{}, registry.DefaultImages...), c.cfg.Images...)
	if err := c.registry.Fill(ctx, images); err != nil {
		return err
	}
	c.report.ready("registry", started, fmt.Sprintf("%d images, %s", len(images), c.registry.Addr()))
	return nil
}
