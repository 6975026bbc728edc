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

package imagelistpulljob

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

func TestReadyzCheck(t *testing.T) {
	var opts Options
	check := opts.ReadyzCheck()
	ask := func() error { return check(httptest.NewRequest("GET", "/readyz", nil)) }
	if ask() == nil {
		t.Error("ready before the controller was added")
	}
	filled := false
	opts.withDefaults().ready.when(func(ctx context.Context) bool {
		if !filled {
			<-ctx.Done()
		}
		return filled
	})
	if ask() == nil {
		t.Error("ready before the cache is filled")
	}
	filled = true
	if err := ask(); err != nil {
		t.Errorf("not ready: %v", err)
	}
	opts.ready.never()
	if err := ask(); err != nil {
		t.Errorf("a controller that is not enabled keeps the host from being ready: %v", err)
	}
}

func TestOptionsDefaults(t *testing.T) {
	o := Options{}.withDefaults()
	if !o.Enabled() || o.Name != "imagelistpulljob-controller" || o.MaxConcurrentReconciles != 3 || o.StatusInterval != time.Second {
		t.Errorf("defaults %+v", o)
	}
	o = Options{Enabled: func() bool { return false }, Name: "x", MaxConcurrentReconciles: 1, StatusInterval: time.Minute}.withDefaults()
	if o.Enabled() || o.Name != "x" || o.MaxConcurrentReconciles != 1 || o.StatusInterval != time.Minute {
		t.Errorf("overwritten: %+v", o)
	}
}

func TestStripImagePullJob(t *testing.T) {
	child := &kruisev1alpha1.ImagePullJob{
		ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "x"}}},
		Spec: kruisev1alpha1.ImagePullJobSpec{Image: "a", ImagePullJobTemplate: kruisev1alpha1.ImagePullJobTemplate{
			Selector: &kruisev1alpha1.ImagePullJobNodeSelector{Names: make([]string, 5000)},
		}},
	}
	for i := range 20 {
		child.Status.FailedNodes = append(child.Status.FailedNodes, string(rune('z'-i)))
	}
	adoptable := child.DeepCopy()
	child.Annotations = map[string]string{templateHashAnnotation: "hash"}
	for name, obj := range map[string]*kruisev1alpha1.ImagePullJob{"ours": child, "adoptable": adoptable} {
		got, err := stripImagePullJob(obj)
		if err != nil {
			t.Fatal(err)
		}
		stripped := got.(*kruisev1alpha1.ImagePullJob)
		if stripped.ManagedFields != nil || stripped.Spec.Image != "a" {
			t.Errorf("%s: %+v", name, stripped)
		}
		if diff := cmp.Diff([]string{"g", "h", "i", "j", "k", "l", "m", "n", "o", "p"}, stripped.Status.FailedNodes); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if hasTemplate := stripped.Spec.Selector != nil; hasTemplate != (name == "adoptable") {
			t.Errorf("%s keeps its template: %t", name, hasTemplate)
		}
	}
	tombstone := toolscache.DeletedFinalStateUnknown{Key: "x"}
	if got, err := stripImagePullJob(tombstone); err != nil || got != tombstone {
		t.Errorf("a tombstone becomes %v, %v", got, err)
	}
}

func TestMissingFields(t *testing.T) {
	const ours = `{"components":{"schemas":{"io.kruise.apps.v1alpha1.ImageListPullJob":{"properties":{
		"spec":{"properties":{"imagePullJobTemplate":{},"maxConcurrentImages":{}}},
		"status":{"properties":{"conditions":{},"failedImagePullJobStatuses":{},"observedGeneration":{},"specHash":{},"status":{}}}}}}}}`
	const kruises = `{"components":{"schemas":{"io.kruise.apps.v1alpha1.ImageListPullJob":{"properties":{
		"spec":{"properties":{"images":{}}},"status":{"properties":{"desired":{}}}}}}}}`
	for name, tc := range map[string]struct {
		document string
		want     []string
	}{
		"our CRD":        {ours, []string{}},
		"Kruise's CRD":   {kruises, ownFields},
		"no such kind":   {`{"components":{"schemas":{}}}`, nil},
		"not a document": {"404 page not found", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, missingFields([]byte(tc.document))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
