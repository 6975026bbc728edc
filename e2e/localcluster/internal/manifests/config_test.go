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

package manifests

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// What a user applies from config/, as kustomize makes it.

func rendered(t *testing.T, folder string) map[string]*unstructured.Unstructured {
	t.Helper()
	objects, err := build(filesys.MakeFsOnDisk(), filepath.Join("..", "..", "..", "..", "config", folder))
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string]*unstructured.Unstructured{}
	for _, object := range objects {
		byKind[object.GetKind()+" "+object.GetName()] = object
	}
	return byKind
}

// namespaces returns the namespace of each.
func namespaces(objects map[string]*unstructured.Unstructured) map[string]string {
	all := map[string]string{}
	for name, object := range objects {
		all[name] = object.GetNamespace()
	}
	return all
}

func TestDefaultHoldsTheCRDAndTheRoles(t *testing.T) {
	want := map[string]string{
		"CustomResourceDefinition imagelistpulljobs.apps.kruise.io": "",
		"ClusterRole imagelistpulljob-manager-role":                 "",
		"ClusterRole imagelistpulljob-editor-role":                  "",
		"ClusterRole imagelistpulljob-viewer-role":                  "",
		"ClusterRoleBinding imagelistpulljob-manager-rolebinding":   "",
	}
	if diff := cmp.Diff(want, namespaces(rendered(t, "default"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWebhooksLeadToTheirService(t *testing.T) {
	for _, folder := range []string{"webhook", "certmanager"} {
		t.Run(folder, func(t *testing.T) {
			objects := rendered(t, folder)
			service := map[string]any{"name": "imagelistpulljob-webhook-service", "namespace": "kruise-system"}
			if objects["Service imagelistpulljob-webhook-service"].GetNamespace() != "kruise-system" {
				t.Errorf("no such Service among %v", namespaces(objects))
			}
			for kind, path := range map[string]string{
				"MutatingWebhookConfiguration imagelistpulljob-mutating-webhook-configuration":     "/mutate-apps-kruise-io-v1alpha1-imagelistpulljob",
				"ValidatingWebhookConfiguration imagelistpulljob-validating-webhook-configuration": "/validate-apps-kruise-io-v1alpha1-imagelistpulljob",
			} {
				hooks, _, err := unstructured.NestedSlice(objects[kind].Object, "webhooks")
				if err != nil || len(hooks) != 1 {
					t.Fatalf("%s: %d webhooks, error %v", kind, len(hooks), err)
				}
				got, _, _ := unstructured.NestedMap(hooks[0].(map[string]any), "clientConfig", "service")
				want := map[string]any{"name": service["name"], "namespace": service["namespace"], "path": path}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", kind, diff)
				}
				const injected = "kruise-system/imagelistpulljob-serving-cert"
				if from := objects[kind].GetAnnotations()["cert-manager.io/inject-ca-from"]; folder == "certmanager" && from != injected {
					t.Errorf("%s: the CA is injected from %q, want %q", kind, from, injected)
				}
			}
		})
	}
}

func TestCertificateIsForTheService(t *testing.T) {
	objects := rendered(t, "certmanager")
	got, _, err := unstructured.NestedStringSlice(objects["Certificate imagelistpulljob-serving-cert"].Object, "spec", "dnsNames")
	if err != nil {
		t.Fatal(err)
	}
	const host = "imagelistpulljob-webhook-service.kruise-system.svc"
	if diff := cmp.Diff([]string{host, host + ".cluster.local"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSamplesAreListJobs(t *testing.T) {
	samples := rendered(t, "samples")
	if len(samples) == 0 {
		t.Error("there are none")
	}
	for name := range samples {
		if !strings.HasPrefix(name, "ImageListPullJob ") {
			t.Errorf("%s is among them", name)
		}
	}
}
