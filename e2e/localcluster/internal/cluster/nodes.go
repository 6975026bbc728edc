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
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/node"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
)

// The hidden commands of this program that prepare a process in its mount namespace.
const (
	NodeExecCommand   = "node-exec"
	TryOverlayCommand = "try-overlay"
)

// chooseSnapshotter tries out whether the cluster's folder can hold overlay mounts.
func (c *Cluster) chooseSnapshotter() (node.Snapshotter, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir := c.cfg.path("try-overlay")
	defer func() { _ = os.RemoveAll(dir) }()
	try := exec.Command(self, TryOverlayCommand, dir)
	try.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if try.Run() != nil {
		return node.Native, nil
	}
	return node.Overlayfs, nil
}

// startContainerd returns the runtime's name and version.
func (c *Cluster) startContainerd(ctx context.Context, n node.Node) (version string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	err = c.run(ctx, waveServers, proc.Spec{
		Name: n.Name + "-containerd", Path: self, Env: n.Env(), Dir: n.Dir, PrivateMounts: true,
		Args: []string{NodeExecCommand, "--hide-run", "--", c.cfg.Binaries[containerd], "--config", n.ConfigFile()},
	}, func(ctx context.Context) (string, error) {
		version, err = node.RuntimeVersion(ctx, n.Socket())
		return fmt.Sprintf("%s, %s", version, c.snapshotter), err
	})
	return version, err
}

func (c *Cluster) startDaemon(ctx context.Context, n node.Node) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	kubeconfig, err := c.daemonKubeconfig(ctx, n)
	if err != nil {
		return err
	}
	env := append(n.Env(), "NODE_NAME="+n.Name, "NODE_IP=127.0.0.1", "POD_NAMESPACE=kruise-system")
	addr := fmt.Sprintf("127.0.0.1:%d", n.DaemonPort)
	return c.run(ctx, waveClients, proc.Spec{
		Name: n.Name + "-daemon", Path: self, Env: env, Dir: n.Dir, PrivateMounts: true,
		Args: []string{
			NodeExecCommand, "--root", n.DaemonRoot(), "--run", n.RunDir(), "--", c.cfg.Binaries[kruiseDaemon],
			"--kubeconfig=" + kubeconfig,
			"--socket-file=" + node.SocketName,
			"--feature-gates=ImagePullJobGate=true",
			"--addr=" + addr,
			"--enable-pprof=false",
			"--v=3",
		},
	}, httpCheck(http.DefaultClient, "http://"+addr+"/healthz"))
}

// createNode creates what a kubelet would: the Node, ready. Nobody renews it; the controller that would mind does not run.
func createNode(ctx context.Context, c client.Client, n node.Node, runtimeVersion string) error {
	object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: n.Name,
		Labels: map[string]string{
			corev1.LabelHostname:   n.Name,
			corev1.LabelOSStable:   runtime.GOOS,
			corev1.LabelArchStable: runtime.GOARCH,
		},
	}}
	if err := c.Create(ctx, object); err != nil {
		return fmt.Errorf("create node %s: %w", n.Name, err)
	}
	// A new Node is tainted as not ready until somebody says otherwise.
	object.Spec.Taints = nil
	if err := c.Update(ctx, object); err != nil {
		return fmt.Errorf("untaint node %s: %w", n.Name, err)
	}
	now := metav1.Now()
	object.Status = corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "ContainerRuntimeReady",
			Message: "containerd answers; there is no kubelet", LastHeartbeatTime: now, LastTransitionTime: now,
		}},
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: "127.0.0.1"},
			{Type: corev1.NodeHostName, Address: n.Name},
		},
		NodeInfo: corev1.NodeSystemInfo{
			ContainerRuntimeVersion: runtimeVersion, OperatingSystem: runtime.GOOS, Architecture: runtime.GOARCH,
		},
	}
	if err := c.Status().Update(ctx, object); err != nil {
		return fmt.Errorf("set the status of node %s: %w", n.Name, err)
	}
	return nil
}
