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
	"net/http"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/controlplane"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/manifests"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/node"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
)

// startManager runs the host manager as its own service account: what it may do is what its roles say.
func (c *Cluster) startManager(ctx context.Context) error {
	dir := c.cfg.path("manager")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := c.identityKubeconfig(ctx, kubeconfig, manifests.ManagerIdentity); err != nil {
		return err
	}
	health := fmt.Sprintf("127.0.0.1:%d", c.managerPort)
	args := []string{
		"--kubeconfig=" + kubeconfig,
		"--feature-gates=ImagePullJobGate=true",
		"--nodeimage-creation-delay=0",
		"--enable-leader-election=false",
		fmt.Sprintf("--metrics-addr=127.0.0.1:%d", c.cfg.Ports.Metrics),
		"--health-probe-addr=" + health,
		"--webhook-bind-address=127.0.0.1",
		"--v=3",
	}
	if c.cfg.Manifests.KruiseList {
		args = append(args, "--list-controller=kruise")
	}
	return c.run(ctx, waveClients, proc.Spec{
		Name: kruiseManager, Path: c.cfg.Binaries[kruiseManager], Dir: dir,
		Args: append(args, c.cfg.ManagerArgs...),
		Env: append([]string{
			"POD_NAMESPACE=" + manifests.Namespace,
			// Kruise then puts https://HOST:PORT into the webhook configurations in place of a Service.
			"WEBHOOK_HOST=127.0.0.1",
			fmt.Sprintf("WEBHOOK_PORT=%d", c.cfg.Ports.Webhook),
			"WEBHOOK_CERT_DIR=" + filepath.Join(dir, "webhook-certs"),
		}, systemEnv...),
	}, httpCheck(http.DefaultClient, "http://"+health+"/readyz"))
}

func (c *Cluster) daemonKubeconfig(ctx context.Context, n node.Node) (string, error) {
	file := filepath.Join(n.Dir, "kubeconfig")
	return file, c.identityKubeconfig(ctx, file, manifests.DaemonIdentity)
}

// tokenLifetime outlasts any local cluster.
const tokenLifetime = 365 * 24 * time.Hour

// identityKubeconfig writes a kubeconfig with a token of a service account in Kruise's namespace.
func (c *Cluster) identityKubeconfig(ctx context.Context, file, serviceAccount string) error {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: manifests.Namespace, Name: serviceAccount}}
	seconds := int64(tokenLifetime.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	if err := c.client.SubResource("token").Create(ctx, account, request); err != nil {
		return fmt.Errorf("get a token of service account %s: %w", serviceAccount, err)
	}
	return controlplane.WriteKubeconfig(file, c.files, c.ports.APIServer, controlplane.WithToken(request.Status.Token))
}

// proveItWorks waits until each node has a NodeImage and both kinds of job pass admission.
func (c *Cluster) proveItWorks(ctx context.Context) error {
	started := time.Now()
	last := errNotAsked
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, readyTimeout, true, func(ctx context.Context) (bool, error) {
		last = errors.Join(c.nodesServed(ctx),
			c.admits(ctx, "ImagePullJob", map[string]any{"image": "nginx"}),
			c.admits(ctx, "ImageListPullJob", map[string]any{"images": []any{"nginx"}}))
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("the parts are up, but together they do not serve pull jobs (%w); the manager's log: %s", last, c.cfg.log(kruiseManager))
	}
	c.report.ready("pull jobs", started, fmt.Sprintf("admitted; %d nodes", len(c.nodes)))
	return nil
}

var kruiseVersion = schema.GroupVersion{Group: "apps.kruise.io", Version: "v1alpha1"}

func (c *Cluster) nodesServed(ctx context.Context) error {
	for _, n := range c.nodes {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(kruiseVersion.WithKind("NodeImage"))
		if err := c.client.Get(ctx, client.ObjectKey{Name: n.Name}, object); err != nil {
			return err
		}
	}
	return nil
}

// admits creates an object as far as admission, and no further.
func (c *Cluster) admits(ctx context.Context, kind string, spec map[string]any) error {
	spec["completionPolicy"] = map[string]any{"type": "Always"}
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(kruiseVersion.WithKind(kind))
	object.SetNamespace("default")
	object.SetName("admission-check")
	return c.client.Create(ctx, object, client.DryRunAll)
}
