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
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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
	var all []func(context.Context)
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(admissionregistrationv1.SchemeGroupVersion.WithKind(kind + "List"))
		Expect(f.List(ctx, list)).To(Succeed())
		for i := range list.Items {
			if undo := f.exemptFrom(ctx, &list.Items[i]); undo != nil {
				all = append(all, undo)
			}
		}
	}
	Expect(all).To(HaveLen(2), "one configuration of each kind is about ImageListPullJobs")
	restore = func(ctx context.Context) {
		GinkgoHelper()
		for _, undo := range all {
			undo(ctx)
		}
	}
	DeferCleanup(restore)
	return restore
}

// template is where Kruise keeps the webhooks of a configuration that it fills in, and puts them back from.
const template = "template"

// exemptFrom returns what undoes it, or nil if the configuration is not about ImageListPullJobs.
func (f *Framework) exemptFrom(ctx context.Context, config *unstructured.Unstructured) func(context.Context) {
	GinkgoHelper()
	var before []any
	if kept := config.GetAnnotations()[template]; kept != "" {
		Expect(json.Unmarshal([]byte(kept), &before)).To(Succeed())
	}
	served, _, err := unstructured.NestedSlice(config.Object, "webhooks")
	Expect(err).NotTo(HaveOccurred())
	keptAfter, servedAfter := exempting(before), exempting(served)
	if servedAfter == nil {
		return nil
	}
	write := func(ctx context.Context, kept, served []any) {
		GinkgoHelper()
		body := map[string]any{"webhooks": served}
		if before != nil {
			text, err := json.Marshal(kept)
			Expect(err).NotTo(HaveOccurred())
			body["metadata"] = map[string]any{"annotations": map[string]any{template: string(text)}}
		}
		raw, err := json.Marshal(body)
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Patch(ctx, config.DeepCopy(), client.RawPatch(types.MergePatchType, raw))).To(Succeed())
	}
	write(ctx, keptAfter, servedAfter)
	return func(ctx context.Context) { write(ctx, before, served) }
}

// exempting returns the webhooks with those for ImageListPullJobs kept off labelled ones, or nil if there is none of them.
func exempting(webhooks []any) []any {
	var found bool
	after := make([]any, len(webhooks))
	for i, webhook := range webhooks {
		entry := (&unstructured.Unstructured{Object: webhook.(map[string]any)}).DeepCopy().Object
		path, _, _ := unstructured.NestedString(entry, "clientConfig", "service", "path")
		url, _, _ := unstructured.NestedString(entry, "clientConfig", "url")
		if strings.HasSuffix(path+url, "-imagelistpulljob") {
			found = true
			entry["objectSelector"] = map[string]any{"matchExpressions": []any{
				map[string]any{"key": exempt, "operator": string(metav1.LabelSelectorOpDoesNotExist)},
			}}
		}
		after[i] = entry
	}
	if !found {
		return nil
	}
	return after
}
