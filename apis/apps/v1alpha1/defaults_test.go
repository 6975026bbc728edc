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
	"k8s.io/utils/ptr"
)

func TestSetDefaults(t *testing.T) {
	for name, tc := range map[string]struct {
		spec, want ImageListPullJobSpec
	}{
		"nothing set": {
			want: ImageListPullJobSpec{ImagePullJobTemplate: ImagePullJobTemplate{
				CompletionPolicy: &CompletionPolicy{Type: Always},
				PullPolicy:       &PullPolicy{TimeoutSeconds: ptr.To[int32](600), BackoffLimit: ptr.To[int32](3)},
				ImagePullPolicy:  PullIfNotPresent,
			}},
		},
		"all set, to zero where that is a value": {
			spec: ImageListPullJobSpec{ImagePullJobTemplate: ImagePullJobTemplate{
				CompletionPolicy: &CompletionPolicy{Type: Never},
				PullPolicy:       &PullPolicy{TimeoutSeconds: ptr.To[int32](5), BackoffLimit: ptr.To[int32](0)},
				ImagePullPolicy:  PullAlways,
			}},
			want: ImageListPullJobSpec{ImagePullJobTemplate: ImagePullJobTemplate{
				CompletionPolicy: &CompletionPolicy{Type: Never},
				PullPolicy:       &PullPolicy{TimeoutSeconds: ptr.To[int32](5), BackoffLimit: ptr.To[int32](0)},
				ImagePullPolicy:  PullAlways,
			}},
		},
		"nothing inside an override": {
			spec: ImageListPullJobSpec{ImageOverrides: []ImageOverride{{Image: "a"}}},
			want: ImageListPullJobSpec{
				ImagePullJobTemplate: ImagePullJobTemplate{
					CompletionPolicy: &CompletionPolicy{Type: Always},
					PullPolicy:       &PullPolicy{TimeoutSeconds: ptr.To[int32](600), BackoffLimit: ptr.To[int32](3)},
					ImagePullPolicy:  PullIfNotPresent,
				},
				ImageOverrides: []ImageOverride{{Image: "a"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			job := &ImageListPullJob{Spec: tc.spec}
			SetDefaults(job)
			if diff := cmp.Diff(tc.want, job.Spec); diff != "" {
				t.Error(diff)
			}
			again := job.DeepCopy()
			SetDefaults(again)
			if diff := cmp.Diff(job, again); diff != "" {
				t.Errorf("defaulting twice changes something: %s", diff)
			}
		})
	}
}
