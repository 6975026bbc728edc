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
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const kruiseManifests = `
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating-webhook-configuration}
webhooks:
- {name: mpod.kb.io, clientConfig: {service: {name: webhook-service, namespace: system, path: /mutate-pod}}}
- {name: kruiselist.kb.io, clientConfig: {service: {name: webhook-service, namespace: system, path: /mutate-apps-kruise-io-v1alpha1-imagelistpulljob}}}
- {name: mimagepulljob.kb.io, clientConfig: {service: {name: webhook-service, namespace: system, path: /mutate-apps-kruise-io-v1alpha1-imagepulljob}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating-webhook-configuration}
webhooks:
- {name: vnodeimage.kb.io, clientConfig: {service: {name: webhook-service, namespace: system, path: /validate-apps-kruise-io-v1alpha1-nodeimage}}}
`

const ownManifests = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating-webhook-configuration}
webhooks:
- name: ownlist.kb.io
  failurePolicy: Fail
  clientConfig: {service: {name: webhook-service, namespace: system, path: /mutate-apps-kruise-io-v1alpha1-imagelistpulljob}}
`

func TestWebhooksOfBothAreMergedUnderKruisesNames(t *testing.T) {
	kruise, err := decode([]byte(kruiseManifests))
	if err != nil {
		t.Fatal(err)
	}
	own, err := decode([]byte(ownManifests))
	if err != nil {
		t.Fatal(err)
	}
	merged, err := mergeWebhooks(pick{kruise, []string{"imagepulljob", "nodeimage"}}, pick{own, []string{"imagelistpulljob"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"kruise-mutating-webhook-configuration":   {"mimagepulljob.kb.io", "ownlist.kb.io"},
		"kruise-validating-webhook-configuration": {"vnodeimage.kb.io"},
	}
	if diff := cmp.Diff(want, webhookNames(t, merged)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	list := merged[0].Object["webhooks"].([]any)[1].(map[string]any)
	service := list["clientConfig"].(map[string]any)["service"].(map[string]any)
	if service["namespace"] != "kruise-system" || service["name"] != "kruise-webhook-service" || list["failurePolicy"] != "Fail" {
		t.Errorf("our entry became %v", list)
	}
}

func webhookNames(t *testing.T, configurations []*unstructured.Unstructured) map[string][]string {
	t.Helper()
	names := map[string][]string{}
	for _, c := range configurations {
		hooks, _, err := unstructured.NestedSlice(c.Object, "webhooks")
		if err != nil {
			t.Fatal(err)
		}
		for _, hook := range hooks {
			names[c.GetName()] = append(names[c.GetName()], hook.(map[string]any)["name"].(string))
		}
	}
	return names
}
