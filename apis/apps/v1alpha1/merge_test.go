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

package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

func TestImageTemplates(t *testing.T) {
	labels := LabelSelector{MatchLabels: map[string]LabelValue{"a": "b"}}
	byName := &ImagePullJobNodeSelector{Names: []string{"n1"}}
	byPod := &ImagePullJobPodSelector{LabelSelector: labels}

	for name, tc := range map[string]struct {
		base, override, want ImagePullJobTemplate
	}{
		"nothing overridden": {
			base: ImagePullJobTemplate{Selector: byName, PullSecrets: []string{"s"}},
			want: ImagePullJobTemplate{Selector: byName, PullSecrets: []string{"s"}},
		},
		"whole fields": {
			base: ImagePullJobTemplate{
				PullSecrets: []string{"s1", "s2"}, Parallelism: ptr.To(intstr.FromInt32(1)), ImagePullPolicy: PullAlways,
				SandboxConfig: &SandboxConfig{Labels: map[string]SandboxConfigValue{"a": "1", "b": "2"}},
			},
			override: ImagePullJobTemplate{
				PullSecrets: []string{"s3"}, Parallelism: ptr.To(intstr.FromInt32(0)), ImagePullPolicy: PullIfNotPresent,
				SandboxConfig: &SandboxConfig{Labels: map[string]SandboxConfigValue{"a": "3"}},
			},
			want: ImagePullJobTemplate{
				PullSecrets: []string{"s3"}, Parallelism: ptr.To(intstr.FromInt32(0)), ImagePullPolicy: PullIfNotPresent,
				SandboxConfig: &SandboxConfig{Labels: map[string]SandboxConfigValue{"a": "3"}},
			},
		},
		"no pull secrets for one image": {
			base:     ImagePullJobTemplate{PullSecrets: []string{"s1"}},
			override: ImagePullJobTemplate{PullSecrets: []string{}},
			want:     ImagePullJobTemplate{PullSecrets: []string{}},
		},
		"leaves of the pull policy": {
			base:     ImagePullJobTemplate{PullPolicy: &PullPolicy{TimeoutSeconds: ptr.To[int32](600), BackoffLimit: ptr.To[int32](3)}},
			override: ImagePullJobTemplate{PullPolicy: &PullPolicy{TimeoutSeconds: ptr.To[int32](60)}},
			want:     ImagePullJobTemplate{PullPolicy: &PullPolicy{TimeoutSeconds: ptr.To[int32](60), BackoffLimit: ptr.To[int32](3)}},
		},
		"the pull policy of one image alone": {
			override: ImagePullJobTemplate{PullPolicy: &PullPolicy{BackoffLimit: ptr.To[int32](0)}},
			want:     ImagePullJobTemplate{PullPolicy: &PullPolicy{BackoffLimit: ptr.To[int32](0)}},
		},
		"a shorter deadline, and nothing else of the completion policy": {
			base:     ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{Type: Always, ActiveDeadlineSeconds: ptr.To[int64](900), TTLSecondsAfterFinished: ptr.To[int32](5)}},
			override: ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{Type: Never, ActiveDeadlineSeconds: ptr.To[int64](700), TTLSecondsAfterFinished: ptr.To[int32](1)}},
			want:     ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{Type: Always, ActiveDeadlineSeconds: ptr.To[int64](700), TTLSecondsAfterFinished: ptr.To[int32](5)}},
		},
		"a deadline longer than that of the job": {
			base:     ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{ActiveDeadlineSeconds: ptr.To[int64](900)}},
			override: ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{ActiveDeadlineSeconds: ptr.To[int64](901)}},
			want:     ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{ActiveDeadlineSeconds: ptr.To[int64](900)}},
		},
		"a deadline where the job has none": {
			override: ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{ActiveDeadlineSeconds: ptr.To[int64](700)}},
			want:     ImagePullJobTemplate{CompletionPolicy: &CompletionPolicy{ActiveDeadlineSeconds: ptr.To[int64](700)}},
		},
		"pods drop inherited nodes":            {base: ImagePullJobTemplate{Selector: byName}, override: ImagePullJobTemplate{PodSelector: byPod}, want: ImagePullJobTemplate{PodSelector: byPod}},
		"nodes drop inherited pods":            {base: ImagePullJobTemplate{PodSelector: byPod}, override: ImagePullJobTemplate{Selector: byName}, want: ImagePullJobTemplate{Selector: byName}},
		"an empty selector clears both: nodes": {base: ImagePullJobTemplate{Selector: byName}, override: ImagePullJobTemplate{Selector: &ImagePullJobNodeSelector{}}},
		"an empty selector clears both: pods":  {base: ImagePullJobTemplate{PodSelector: byPod}, override: ImagePullJobTemplate{Selector: &ImagePullJobNodeSelector{}}},
		"an empty selector of the job":         {base: ImagePullJobTemplate{Selector: &ImagePullJobNodeSelector{}}},
		"a selector with a label": {
			base: ImagePullJobTemplate{Selector: &ImagePullJobNodeSelector{LabelSelector: labels}},
			want: ImagePullJobTemplate{Selector: &ImagePullJobNodeSelector{LabelSelector: labels}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := ImageListPullJobSpec{
				Images:               []string{"plain", "nginx"},
				ImagePullJobTemplate: tc.base,
				ImageOverrides:       []ImageOverride{{Image: "nginx", ImagePullJobTemplate: tc.override}},
			}
			before := spec.DeepCopy()
			got := spec.ImageTemplates()
			if diff := cmp.Diff(tc.want, got[1].Template); diff != "" {
				t.Error(diff)
			}
			got[0].Template.PullSecrets = append(got[0].Template.PullSecrets[:0], "changed")
			if diff := cmp.Diff(before, &spec); diff != "" {
				t.Errorf("the spec was changed: %s", diff)
			}
		})
	}
}

func TestImageTemplatesAreInListOrder(t *testing.T) {
	spec := ImageListPullJobSpec{
		Images:         []string{"b", "a"},
		ImageOverrides: []ImageOverride{{Image: "z"}, {Image: "a"}, {Image: "y"}},
	}
	var got []string
	for _, image := range spec.ImageTemplates() {
		got = append(got, image.Image)
	}
	if diff := cmp.Diff([]string{"b", "a", "z", "y"}, got); diff != "" {
		t.Error(diff)
	}
}
