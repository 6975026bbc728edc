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

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// openSchema lets everything pass.
var openSchema = map[string]any{
	"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
}

// OpenSchema lets ImageListPullJobs be stored whatever they hold, as under the rules of another time, until the returned function is
// called or the spec ends. Only disruptive specs may use it: the CRD is the whole cluster's.
func (f *Framework) OpenSchema(ctx context.Context) (restore func(context.Context)) {
	GinkgoHelper()
	crd, before := f.schema(ctx)
	set := func(ctx context.Context, schema any) {
		GinkgoHelper()
		patch, err := json.Marshal([]any{map[string]any{"op": "replace", "path": "/spec/versions/0/schema", "value": schema}})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Patch(ctx, crd, client.RawPatch(types.JSONPatchType, patch))).To(Succeed())
	}
	restore = func(ctx context.Context) { set(ctx, before) }
	DeferCleanup(restore)
	set(ctx, openSchema)
	return restore
}

// schema returns the CRD and the schema in it, which must be that of the plugin.
func (f *Framework) schema(ctx context.Context) (*unstructured.Unstructured, any) {
	GinkgoHelper()
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	Expect(f.Get(ctx, client.ObjectKey{Name: "imagelistpulljobs.apps.kruise.io"}, crd)).To(Succeed())
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	Expect(err).NotTo(HaveOccurred())
	Expect(versions).To(HaveLen(1))
	found := versions[0].(map[string]any)["schema"]
	Expect(found).NotTo(Equal(openSchema), "a run that was killed left it open: kubectl apply --server-side --force-conflicts -k config/crd")
	return crd, found
}
