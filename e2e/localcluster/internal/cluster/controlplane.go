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
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/controlplane"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
)

// systemEnv is the environment of a program that needs none.
var systemEnv = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/nonexistent"}

func (c *Cluster) startControlPlane(ctx context.Context) error {
	err := c.run(ctx, waveStorage, proc.Spec{
		Name: etcd, Path: c.cfg.Binaries[etcd], Env: systemEnv, Dir: c.cfg.Dir,
		Args: controlplane.EtcdArgs(c.files, c.ports, c.cfg.path("etcd")),
	}, httpCheck(http.DefaultClient, fmt.Sprintf("http://127.0.0.1:%d/health", c.ports.EtcdMetrics)))
	if err != nil {
		return err
	}
	cfg, err := controlplane.ClientConfig(c.cfg.Kubeconfig())
	if err != nil {
		return err
	}
	admin, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return err
	}
	err = c.run(ctx, waveServers, proc.Spec{
		Name: apiserver, Path: c.cfg.Binaries[apiserver], Env: systemEnv, Dir: c.cfg.Dir,
		Args: controlplane.APIServerArgs(c.files, c.ports),
	}, httpCheck(admin, cfg.Host+"/readyz"))
	if err != nil {
		return err
	}
	if c.client, err = client.New(cfg, client.Options{}); err != nil {
		return fmt.Errorf("make a client of the cluster: %w", err)
	}
	started := time.Now()
	if err := c.cfg.Manifests.Install(ctx, c.client); err != nil {
		return err
	}
	c.report.ready("manifests", started, "CRDs, roles, webhook configurations")
	return nil
}

func (c *Cluster) startControllerManager(ctx context.Context) error {
	// Its certificate is its own, and it shows its health to everyone.
	insecure := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	return c.run(ctx, waveClients, proc.Spec{
		Name: controllerManager, Path: c.cfg.Binaries[controllerManager], Env: systemEnv, Dir: c.cfg.Dir,
		Args: controlplane.ControllerManagerArgs(c.files, c.ports, c.controllerManagerKubeconfig()),
	}, httpCheck(insecure, fmt.Sprintf("https://127.0.0.1:%d/healthz", c.ports.ControllerManager)))
}

// httpCheck succeeds when the URL answers 200.
func httpCheck(c *http.Client, url string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return "", err
		}
		resp, err := c.Do(req)
		if err != nil {
			return "", err
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		if resp.StatusCode != http.StatusOK {
			return "", fmt.Errorf("%s: %s: %s", url, resp.Status, strings.Join(strings.Fields(string(body)), " "))
		}
		return "", nil
	}
}
