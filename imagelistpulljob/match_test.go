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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

func TestMatchChildren(t *testing.T) {
	job := newJob(images("a", "b"))
	other := newJob(images("a", "b"), timeout(5))
	child := func(of *v1alpha1.ImageListPullJob, image int, name string, age time.Duration, change ...func(*kruisev1alpha1.ImagePullJob)) *kruisev1alpha1.ImagePullJob {
		wanted, err := wantedImages(of)
		if err != nil {
			t.Fatal(err)
		}
		c := newChild(of, &wanted[image], deadline{}, t0)
		c.Name, c.CreationTimestamp = name, metav1.Time{Time: t0.Add(-age)}
		for _, f := range change {
			f(c)
		}
		return c
	}
	deleting := func(c *kruisev1alpha1.ImagePullJob) { c.DeletionTimestamp = &metav1.Time{Time: t0} }
	unmarked := func(c *kruisev1alpha1.ImagePullJob) { c.Annotations = nil }

	for name, tc := range map[string]struct {
		children []*kruisev1alpha1.ImagePullJob
		// want is, for image a: the child, whether it is adopted, whether creation is blocked.
		wantChild              string
		wantAdopt, wantBlocked bool
		wantUnwanted           []string
	}{
		"none":                             {},
		"one":                              {children: []*kruisev1alpha1.ImagePullJob{child(job, 0, "x", 0)}, wantChild: "x"},
		"two: the oldest stays":            {children: []*kruisev1alpha1.ImagePullJob{child(job, 0, "x", 0), child(job, 0, "y", time.Hour)}, wantChild: "y", wantBlocked: true, wantUnwanted: []string{"x"}},
		"two of one age: the first name":   {children: []*kruisev1alpha1.ImagePullJob{child(job, 0, "y", 0), child(job, 0, "x", 0)}, wantChild: "x", wantBlocked: true, wantUnwanted: []string{"y"}},
		"of another template":              {children: []*kruisev1alpha1.ImagePullJob{child(other, 0, "x", 0)}, wantBlocked: true, wantUnwanted: []string{"x"}},
		"being deleted":                    {children: []*kruisev1alpha1.ImagePullJob{child(job, 0, "x", 0, deleting)}, wantBlocked: true},
		"of another template, in deletion": {children: []*kruisev1alpha1.ImagePullJob{child(other, 0, "x", 0, deleting)}, wantBlocked: true},
		"not marked, same meaning":         {children: []*kruisev1alpha1.ImagePullJob{child(job, 0, "x", 0, unmarked)}, wantChild: "x", wantAdopt: true},
		"not marked, another meaning":      {children: []*kruisev1alpha1.ImagePullJob{child(other, 0, "x", 0, unmarked)}, wantBlocked: true, wantUnwanted: []string{"x"}},
		"of no image":                      {children: []*kruisev1alpha1.ImagePullJob{child(newJob(images("gone")), 0, "x", 0)}, wantUnwanted: []string{"x"}},
		"of no image, in deletion":         {children: []*kruisev1alpha1.ImagePullJob{child(newJob(images("gone")), 0, "x", 0, deleting)}},
		"another spelling of the image":    {children: []*kruisev1alpha1.ImagePullJob{child(newJob(images("docker.io/library/a")), 0, "x", 0)}, wantChild: "x"},
		"no absent field is a difference": {children: []*kruisev1alpha1.ImagePullJob{child(job, 0, "x", 0, unmarked, func(c *kruisev1alpha1.ImagePullJob) {
			c.Spec.ImagePullJobTemplate = kruisev1alpha1.ImagePullJobTemplate{Selector: &kruisev1alpha1.ImagePullJobNodeSelector{}}
		})}, wantChild: "x", wantAdopt: true},
	} {
		t.Run(name, func(t *testing.T) {
			wanted, err := wantedImages(job)
			if err != nil {
				t.Fatal(err)
			}
			states, unwanted := matchChildren(wanted, tc.children)
			gotChild := ""
			if states[0].child != nil {
				gotChild = states[0].child.Name
			}
			var gotUnwanted []string
			for _, c := range unwanted {
				gotUnwanted = append(gotUnwanted, c.Name)
			}
			if diff := cmp.Diff([]any{tc.wantChild, tc.wantAdopt, tc.wantBlocked, tc.wantUnwanted},
				[]any{gotChild, states[0].adopt, states[0].blocked, gotUnwanted}); diff != "" {
				t.Error(diff)
			}
			if states[1].child != nil || states[1].blocked {
				t.Error("image b is touched")
			}
		})
	}
}
