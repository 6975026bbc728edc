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

package framework

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// exempt is the label of jobs that the webhooks are kept off, see ExemptFromWebhooks.
const exempt = "e2e.imagelistpulljobs.kruise.io/exempt"

// Exempt labels a job as one that the webhooks are to be kept off.
func Exempt[T metav1.Object](job T) T {
	job.SetLabels(map[string]string{exempt: ""})
	return job
}

// ExemptFromWebhooks keeps both webhooks off jobs that Exempt labels, as if no manager were there, until the returned function is
// called or the spec ends. Only disruptive specs may use it: the configurations are the whole cluster's.
func (f *Framework) ExemptFromWebhooks(ctx context.Context) (restore func(context.Context)) {
	GinkgoHelper()
	configs := f.webhookConfigurations(ctx)
	Expect(configs).To(HaveLen(2), "one configuration of each kind is about ImageListPullJobs")

	set := func(ctx context.Context, on bool) {
		GinkgoHelper()
		for _, config := range configs {
			Expect(retry.RetryOnConflict(retry.DefaultRetry, func() error { return f.setExemption(ctx, config, on) })).To(Succeed())
		}
	}
	restore = func(ctx context.Context) { set(ctx, false) }
	DeferCleanup(restore)
	set(ctx, true)
	return restore
}

// webhookConfigurations returns those that are about ImageListPullJobs.
func (f *Framework) webhookConfigurations(ctx context.Context) []*unstructured.Unstructured {
	GinkgoHelper()
	var configs []*unstructured.Unstructured
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(admissionregistrationv1.SchemeGroupVersion.WithKind(kind + "List"))
		Expect(f.List(ctx, list)).To(Succeed())
		for i := range list.Items {
			if len(ourWebhooks(served(&list.Items[i]))) > 0 {
				configs = append(configs, &list.Items[i])
			}
		}
	}
	return configs
}

// template is the annotation in which Kruise keeps the webhooks that it fills a configuration from, again and again.
const template = "template"

// setExemption changes nothing else of a configuration than whether our webhooks are kept off labelled jobs.
func (f *Framework) setExemption(ctx context.Context, config *unstructured.Unstructured, on bool) error {
	if err := f.Get(ctx, client.ObjectKeyFromObject(config), config); err != nil {
		return err
	}
	webhooks := served(config)
	if err := exempting(webhooks, on); err != nil {
		return err
	}

	annotations := config.GetAnnotations()
	if kept, ok := annotations[template]; ok {
		var webhooks []any
		if err := json.Unmarshal([]byte(kept), &webhooks); err != nil {
			return err
		}
		if err := exempting(webhooks, on); err != nil {
			return err
		}
		text, err := json.Marshal(webhooks)
		if err != nil {
			return err
		}
		annotations[template] = string(text)
		config.SetAnnotations(annotations)
	}
	return f.Update(ctx, config)
}

// exempting keeps our webhooks, among these, off labelled jobs, or no longer.
func exempting(webhooks []any, on bool) error {
	selector := []string{"objectSelector", "matchExpressions"}
	for _, webhook := range ourWebhooks(webhooks) {
		expressions, _, err := unstructured.NestedSlice(webhook, selector...)
		if err != nil {
			return err
		}
		expressions = slices.DeleteFunc(expressions, func(e any) bool { return e.(map[string]any)["key"] == exempt })
		if on {
			expressions = append(expressions, map[string]any{"key": exempt, "operator": string(metav1.LabelSelectorOpDoesNotExist)})
		}
		if len(expressions) == 0 {
			unstructured.RemoveNestedField(webhook, selector...)
			continue
		}
		if err := unstructured.SetNestedSlice(webhook, expressions, selector...); err != nil {
			return err
		}
	}
	return nil
}

func served(config *unstructured.Unstructured) []any {
	webhooks, _ := config.Object["webhooks"].([]any)
	return webhooks
}

// ourWebhooks returns those that are called for ImageListPullJobs.
func ourWebhooks(webhooks []any) []map[string]any {
	var ours []map[string]any
	for _, webhook := range webhooks {
		entry := webhook.(map[string]any)
		path, _, _ := unstructured.NestedString(entry, "clientConfig", "service", "path")
		url, _, _ := unstructured.NestedString(entry, "clientConfig", "url")
		if strings.HasSuffix(path+url, "-imagelistpulljob") {
			ours = append(ours, entry)
		}
	}
	return ours
}
