//go:build integration

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

package imagelistpulljob_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/webhook"
)

// storedJobs are jobs as they may lie in a cluster whose rules were others: by name, as spec and status.
var storedJobs = map[string]string{
	"deadline-too-short": `spec: {images: [a], completionPolicy: {activeDeadlineSeconds: 60}}`,
	"both-selectors":     `spec: {images: [a], selector: {names: [n1]}, podSelector: {}}`,
	"no-images":          `spec: {parallelism: 1}`,
	"never-with-ttl":     `spec: {images: [a], completionPolicy: {type: Never, ttlSecondsAfterFinished: 5}}`,
	"duplicates":         `spec: {images: [a, a], pullSecrets: [s, s], imagePullJobTemplate: [{image: a}, {image: a}]}`,
	"two-spellings":      `spec: {images: [nginx, docker.io/library/nginx], imagePullJobTemplate: [{image: "nginx:latest"}]}`,
	"no-reference":       `spec: {images: ["No Reference"], imagePullJobTemplate: [{image: b, completionPolicy: {type: Never}}]}`,
	"out-of-range": `spec: {images: [a], parallelism: "50%", imagePullPolicy: Foo, pullSecrets: [""], pullPolicy: {timeoutSeconds: -5, backoffLimit: -1},
  completionPolicy: {type: Always, ttlSecondsAfterFinished: -1}}`,
	// As Kruise's controller leaves it, with messages that are longer than those of ours.
	"finished-by-kruise": `spec: {images: [a]}
status: {desired: 1, active: 0, completed: 1, succeeded: 0, startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:01:00Z",
  failedImageStatuses: [{imagePullJob: x, name: a, message: "` + strings.Repeat("Please check for details. ", 10) + `"}]}`,
}

// case 23: a stored object that the schema, its rules in CEL or the webhook would refuse today gets its status written, labels and
// finalizers changed, and can be deleted; only an edit of its spec is judged.
func TestStoredJobsOfOtherRules(t *testing.T) {
	env := &envtest.Environment{CRDDirectoryPaths: []string{kruiseCRD}, ErrorIfCRDPathMissing: true}
	cfg, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	c := newClusterOn(t, cfg)
	c.create(openCRD(t))
	for name, job := range storedJobs {
		c.store(name, job)
	}
	if _, err := envtest.InstallCRDs(cfg, envtest.CRDInstallOptions{Paths: []string{ourCRD}}); err != nil {
		t.Fatal(err)
	}
	c.eventually("the schema is in force", func() bool { return apierrors.IsInvalid(c.Create(context.Background(), c.newJob(), client.DryRunAll)) })
	serveWebhooks(t, cfg)
	c.eventually("the webhook is in force", func() bool {
		return apierrors.IsInvalid(c.Create(context.Background(), c.newJob("nginx", "docker.io/library/nginx"), client.DryRunAll))
	})
	startController(t, cfg)
	for name := range storedJobs {
		t.Run(name, func(t *testing.T) {
			c := &cluster{T: t, Client: c.Client, namespace: c.namespace}
			c.checkStored(name)
		})
	}
}

// openCRD is our CRD with a schema that lets everything pass.
func openCRD(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(ourCRD, "*.yaml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("CRDs %v: %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(raw, &crd.Object); err != nil {
		t.Fatal(err)
	}
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err != nil || len(versions) != 1 {
		t.Fatalf("versions %v: %v", versions, err)
	}
	versions[0].(map[string]any)["schema"] = map[string]any{
		"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}
	if err := unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"); err != nil {
		t.Fatal(err)
	}
	return crd
}

// store creates a job, and its status if it has one.
func (c *cluster) store(name, manifest string) {
	c.Helper()
	job := &unstructured.Unstructured{}
	manifest = fmt.Sprintf("apiVersion: apps.kruise.io/v1alpha1\nkind: ImageListPullJob\nmetadata: {name: %s, namespace: %s}\n%s", name, c.namespace, manifest)
	if err := yaml.Unmarshal([]byte(manifest), &job.Object); err != nil {
		c.Fatal(err)
	}
	status, finished := job.Object["status"]
	c.eventually("job "+name+" is stored", func() bool {
		err := c.Create(context.Background(), job.DeepCopy())
		if err != nil && !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) { // the CRD is not served yet
			c.Fatal(err)
		}
		return err == nil
	})
	if !finished {
		return
	}
	if err := c.Get(context.Background(), client.ObjectKeyFromObject(job), job); err != nil {
		c.Fatal(err)
	}
	job.Object["status"] = status
	if err := c.Status().Update(context.Background(), job); err != nil {
		c.Fatal(err)
	}
}

// serveWebhooks serves the handlers, and tells the API server of them with the manifests of config/webhook.
func serveWebhooks(t *testing.T, cfg *rest.Config) {
	t.Helper()
	options := &envtest.WebhookInstallOptions{Paths: []string{filepath.Join("..", "config", "webhook", "manifests.yaml")}}
	if err := options.Install(cfg); err != nil {
		t.Fatal(err)
	}
	mgr, err := manager.New(cfg, manager.Options{
		Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: ctrlwebhook.NewServer(ctrlwebhook.Options{
			Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := webhook.Add(mgr); err != nil {
		t.Fatal(err)
	}
	run(t, mgr)
	t.Cleanup(func() {
		if err := options.Cleanup(); err != nil {
			t.Error(err)
		}
	})
}

const testFinalizer = "example.com/keep"

// checkStored does with a stored job what must work whatever its spec holds.
func (c *cluster) checkStored(name string) {
	c.Helper()
	ctx := context.Background()
	job := &v1alpha1.ImageListPullJob{}
	job.Namespace, job.Name = c.namespace, name
	c.eventually("the controller writes the status", func() bool {
		finished := meta.FindStatusCondition(c.reload(job).Status.Conditions, v1alpha1.ConditionFinished)
		return finished != nil && finished.ObservedGeneration == job.Generation
	})
	c.edit(job, func() {
		job.Labels = map[string]string{"touched": "yes"}
		job.Finalizers = append(job.Finalizers, testFinalizer)
	})
	if c.reload(job).Labels["touched"] != "yes" {
		c.Error("the label is not stored")
	}
	job.Spec.Images = append(job.Spec.Images, "No Reference either")
	if err := c.Update(ctx, job); !apierrors.IsInvalid(err) {
		c.Errorf("an edit that makes it worse: error %v, want that it is invalid", err)
	}
	if err := c.Delete(ctx, c.reload(job)); err != nil {
		c.Fatal(err)
	}
	c.edit(job, func() { job.Finalizers = nil })
	c.eventually("the job is gone", func() bool {
		return apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(job), job))
	})
}
