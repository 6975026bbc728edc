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
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
)

// A job with every field that kruise-api knows.
const everyKruiseField = `{
	"kind": "ImageListPullJob", "apiVersion": "apps.kruise.io/v1alpha1",
	"metadata": {"name": "job", "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z"},
	"spec": {
		"images": ["nginx", "busybox:1.35"],
		"pullSecrets": ["s"],
		"selector": {"names": ["n"], "matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]},
		"podSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]},
		"parallelism": 5,
		"pullPolicy": {"timeoutSeconds": 1, "backoffLimit": 2},
		"completionPolicy": {"type": "Always", "activeDeadlineSeconds": 3, "ttlSecondsAfterFinished": 4},
		"sandboxConfig": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
		"imagePullPolicy": "Always"
	},
	"status": {
		"startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:01:00Z",
		"desired": 4, "active": 3, "completed": 2, "succeeded": 1,
		"failedImageStatuses": [{"imagePullJob": "p", "name": "nginx", "message": "m"}]
	}
}`

// Both types read the same JSON, lose none of it, and write the same again.
func TestWireFormatIsThatOfKruise(t *testing.T) {
	var want any
	if err := json.Unmarshal([]byte(everyKruiseField), &want); err != nil {
		t.Fatal(err)
	}
	for name, object := range map[string]any{
		"ours":       &ImageListPullJob{},
		"kruise-api": &kruisev1alpha1.ImageListPullJob{},
	} {
		if err := json.Unmarshal([]byte(everyKruiseField), object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// kruise-api's client always sends a completion policy, and null for images that are not set.
func TestWhatKruisesClientSendsForAnEmptyJob(t *testing.T) {
	raw, err := json.Marshal(kruisev1alpha1.ImageListPullJob{})
	if err != nil {
		t.Fatal(err)
	}
	job := &ImageListPullJob{}
	if err := json.Unmarshal(raw, job); err != nil {
		t.Fatal(err)
	}
	SetDefaults(job)
	if job.Spec.CompletionPolicy.Type != Always {
		t.Errorf("completion policy %+v", job.Spec.CompletionPolicy)
	}
}
