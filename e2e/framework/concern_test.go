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
	"testing"

	"github.com/google/go-cmp/cmp"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
)

func TestPruned(t *testing.T) {
	node := func(name, fake string, images ...string) kruisev1alpha1.NodeImage {
		n := kruisev1alpha1.NodeImage{}
		n.Name = name
		n.Labels = map[string]string{fakenodes.Label: fake}
		n.Spec.Images = map[string]kruisev1alpha1.ImageSpec{}
		n.Status.ImageStatuses = map[string]kruisev1alpha1.ImageStatus{}
		for _, image := range images {
			n.Spec.Images[image] = kruisev1alpha1.ImageSpec{Tags: []kruisev1alpha1.ImageTagSpec{{Tag: "1"}}}
			n.Status.ImageStatuses[image] = kruisev1alpha1.ImageStatus{Tags: []kruisev1alpha1.ImageTagStatus{{Tag: "1"}}}
		}
		return n
	}
	job := v1alpha1.ImageListPullJob{Spec: v1alpha1.ImageListPullJobSpec{Images: []string{"ours:1"}}}
	all := []kruisev1alpha1.NodeImage{
		node("fake-of-another", "another", "theirs"), node("fake-of-ours", "ours", "ours"), node("node-1", "", "ours", "theirs"), node("node-2", "", "theirs"),
	}
	got := map[string][]string{}
	var names []string
	for _, n := range concernOf("ns", []v1alpha1.ImageListPullJob{job}, nil).pruned(all) {
		names = append(names, n.Name)
		for image := range n.Spec.Images {
			got[n.Name] = append(got[n.Name], "asked "+image)
		}
		for image := range n.Status.ImageStatuses {
			got[n.Name] = append(got[n.Name], "answered "+image)
		}
	}
	if diff := cmp.Diff([]string{"node-1", "node-2", "fake-of-ours"}, names); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	want := map[string][]string{"node-1": {"asked ours", "answered ours"}, "fake-of-ours": {"asked ours", "answered ours"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}
