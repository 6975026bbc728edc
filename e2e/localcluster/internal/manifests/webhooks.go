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
	"fmt"
	"path/filepath"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Kruise looks its webhook configurations up by these names.
const (
	MutatingWebhooks   = "kruise-mutating-webhook-configuration"
	ValidatingWebhooks = "kruise-validating-webhook-configuration"
)

// Webhooks are the two configurations that Kruise's manager fills in with its address and certificate: Kruise's own
// entries for the kinds that the manager serves, and this repository's for ImageListPullJob.
func (s Source) Webhooks() ([]*unstructured.Unstructured, error) {
	const manifests = "config/webhook/manifests.yaml"
	kruise, err := readFile(filepath.Join(s.KruiseDir, manifests))
	if err != nil {
		return nil, err
	}
	kinds := []string{"imagepulljob", "nodeimage"}
	if s.KruiseList {
		return mergeWebhooks(pick{kruise, append(kinds, "imagelistpulljob")})
	}
	own, err := readFile(filepath.Join(s.RepoDir, manifests))
	if err != nil {
		return nil, err
	}
	return mergeWebhooks(pick{kruise, kinds}, pick{own, []string{"imagelistpulljob"}})
}

// pick are the webhooks of objects whose path ends with one of the kinds.
type pick struct {
	objects []*unstructured.Unstructured
	kinds   []string
}

func (p pick) wants(client admissionregistrationv1.WebhookClientConfig) bool {
	if client.Service == nil || client.Service.Path == nil {
		return false
	}
	for _, kind := range p.kinds {
		if strings.HasSuffix(*client.Service.Path, "-"+kind) {
			return true
		}
	}
	return false
}

func mergeWebhooks(picks ...pick) ([]*unstructured.Unstructured, error) {
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "MutatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: MutatingWebhooks},
	}
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: ValidatingWebhooks},
	}
	for _, p := range picks {
		for _, object := range p.objects {
			if err := p.addTo(mutating, validating, object); err != nil {
				return nil, err
			}
		}
	}
	return toUnstructured(mutating, validating)
}

func (p pick) addTo(mutating *admissionregistrationv1.MutatingWebhookConfiguration, validating *admissionregistrationv1.ValidatingWebhookConfiguration,
	object *unstructured.Unstructured,
) error {
	convert := runtime.DefaultUnstructuredConverter.FromUnstructured
	switch object.GetKind() {
	case mutating.Kind:
		from := &admissionregistrationv1.MutatingWebhookConfiguration{}
		if err := convert(object.Object, from); err != nil {
			return fmt.Errorf("read %s: %w", object.GetName(), err)
		}
		for _, hook := range from.Webhooks {
			if p.wants(hook.ClientConfig) {
				hook.ClientConfig.Service.Namespace, hook.ClientConfig.Service.Name = Namespace, "kruise-webhook-service"
				mutating.Webhooks = append(mutating.Webhooks, hook)
			}
		}
	case validating.Kind:
		from := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if err := convert(object.Object, from); err != nil {
			return fmt.Errorf("read %s: %w", object.GetName(), err)
		}
		for _, hook := range from.Webhooks {
			if p.wants(hook.ClientConfig) {
				hook.ClientConfig.Service.Namespace, hook.ClientConfig.Service.Name = Namespace, "kruise-webhook-service"
				validating.Webhooks = append(validating.Webhooks, hook)
			}
		}
	}
	return nil
}

func toUnstructured(objects ...runtime.Object) ([]*unstructured.Unstructured, error) {
	result := make([]*unstructured.Unstructured, 0, len(objects))
	for _, object := range objects {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		result = append(result, &unstructured.Unstructured{Object: content})
	}
	return result, nil
}
