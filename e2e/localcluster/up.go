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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/cluster"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/controlplane"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

// upOptions are the flags of up that are not part of the cluster's configuration as they are.
type upOptions struct {
	cluster.Config
	bin, repo, kruise string
	listController    string
}

func upCommand() *cobra.Command {
	o := &upOptions{}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the cluster and return when it serves pull jobs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	flags := cmd.Flags()
	folderFlag(cmd, &o.Dir)
	flags.IntVar(&o.Nodes, "nodes", 2, "number of nodes")
	flags.StringVar(&o.bin, "bin", "", "folder of the programs (default: bin in the repository); KUBEBUILDER_ASSETS, if set, supplies etcd and kube-apiserver")
	flags.StringVar(&o.repo, "repo", "", "the repository whose config is installed (default: found from this program or the current folder upwards)")
	flags.StringVar(&o.kruise, "kruise", "", "folder of the module github.com/openkruise/kruise (default: asked from go in e2e/host)")
	flags.StringSliceVar(&o.Images, "image", nil, "further image for the registry, NAME:TAG; may be repeated")
	flags.BoolVar(&o.KeepLogs, "keep-logs", false, "leave the logs in the folder when the cluster stops")
	flags.StringVar(&o.listController, "list-controller", "plugin", "who serves ImageListPullJobs: plugin, or kruise for Kruise's own CRD, controller and webhooks")
	flags.StringArrayVar(&o.ManagerArgs, "manager-arg", nil, "further argument for the manager; may be repeated")
	flags.IntVar(&o.Ports.APIServer, "apiserver-port", 0, "port of the apiserver (default: a free one)")
	flags.IntVar(&o.Ports.Registry, "registry-port", 0, "port of the image registry (default: a free one)")
	flags.IntVar(&o.Ports.Webhook, "webhook-port", 0, "port of the manager's webhooks (default: a free one)")
	flags.IntVar(&o.Ports.Metrics, "metrics-port", 0, "port of the manager's metrics (default: a free one)")
	return cmd
}

func (o *upOptions) run(cmd *cobra.Command) error {
	started := time.Now()
	if err := o.complete(cmd.Context()); err != nil {
		return err
	}
	lock, err := claim(cmd, o.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	cmd.Printf("Starting a local cluster in %s\n", o.Dir)
	if err := launch(cmd.Context(), o.Config, lock, cmd.OutOrStdout()); err != nil {
		return err
	}
	cmd.Printf("The local cluster is ready after %.1f s\n  export KUBECONFIG=%s\n", time.Since(started).Seconds(), o.Kubeconfig())
	return nil
}

// complete checks the flags and finds what they leave open.
func (o *upOptions) complete(ctx context.Context) error {
	if err := errors.Join(needRoot(), absolute(&o.Dir)); err != nil {
		return err
	}
	if o.Nodes < 1 {
		return fmt.Errorf("--nodes=%d: a cluster needs at least one", o.Nodes)
	}
	switch o.listController {
	case "plugin":
	case "kruise":
		o.Manifests.KruiseList = true
	default:
		return fmt.Errorf("--list-controller=%s: must be plugin or kruise", o.listController)
	}
	if err := o.checkPorts(); err != nil {
		return err
	}
	if err := o.findRepo(); err != nil {
		return err
	}
	if o.bin == "" {
		o.bin = filepath.Join(o.Manifests.RepoDir, "bin")
	}
	if err := o.findBinaries(); err != nil {
		return err
	}
	return o.findKruise(ctx)
}

func (o *upOptions) checkPorts() error {
	for flag, port := range map[string]int{
		"apiserver-port": o.Ports.APIServer, "registry-port": o.Ports.Registry,
		"webhook-port": o.Ports.Webhook, "metrics-port": o.Ports.Metrics,
	} {
		if port == 0 {
			continue
		}
		if err := controlplane.CheckPort(port); err != nil {
			return fmt.Errorf("--%s=%d cannot be used (%w): name another port, or leave the flag out and a free one is chosen", flag, port, err)
		}
	}
	return nil
}

// claim takes the folder for a new cluster; what a crashed or failed one left there is removed first.
func claim(cmd *cobra.Command, dir string) (*os.File, error) {
	lock, err := cluster.Claim(dir)
	if errors.Is(err, cluster.ErrLocked) {
		return nil, fmt.Errorf("a local cluster runs in %s already: use it (localcluster status), stop it with localcluster down (make stop), or choose another --dir", dir)
	}
	if err != nil {
		return nil, err
	}
	left, err := state.Read(dir)
	if err == nil && left != nil {
		cmd.Println("Removing what a cluster left behind that is gone")
		_ = lock.Close()
		if err = cluster.CleanUp(dir, false); err == nil {
			return cluster.Claim(dir)
		}
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}
