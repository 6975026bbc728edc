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

package validating

import (
	"context"
	"errors"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// FuzzHandler sends any spec. It must not panic, and what it admits must run.
func FuzzHandler(f *testing.F) {
	for _, spec := range []string{
		`null`, `5`, `{}`, `{"images":null}`, `{"images":["nginx","index.docker.io/nginx"]}`, `{"images":[1,"a"]}`,
		`{"images":["a"],"parallelism":"50%","selector":{"names":[]},"podSelector":{"matchLabels":{"a":"b"}}}`,
		`{"images":["a"],"completionPolicy":{"type":"Never"},"imagePullJobTemplate":[{"image":"a","completionPolicy":{"activeDeadlineSeconds":600}}]}`,
		`{"images":["a"],"pullPolicy":{"timeoutSeconds":1e2},"imagePullJobTemplate":[{"image":"b","pullPolicy":{"timeoutSeconds":5.0},"completionPolicy":{"activeDeadlineSeconds":5}}]}`,
		`{"images":["a"],"selector":{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]},"sandboxConfig":{"labels":{"a":"b"}}}`,
	} {
		f.Add([]byte(spec))
	}
	f.Fuzz(func(t *testing.T, spec []byte) {
		req := request(t, admissionv1.Create, "{}", "")
		req.Object.Raw = []byte(`{"metadata":{"name":"x"},"spec":` + string(spec) + `}`)
		resp := newHandler(nil).Handle(context.Background(), req)
		for _, warning := range resp.Warnings {
			if len(warning) > 256 {
				t.Errorf("warning of %d bytes: %s", len(warning), warning)
			}
		}
		if !resp.Allowed {
			return
		}
		// The API server stores numbers in their shortest notation.
		var stored map[string]any
		if err := json.Unmarshal(req.Object.Raw, &stored); err != nil {
			t.Fatalf("admitted, and no JSON: %v", err)
		}
		raw, err := json.Marshal(stored)
		if err != nil {
			t.Fatal(err)
		}
		job := &v1alpha1.ImageListPullJob{}
		if err := json.Unmarshal(raw, job); err != nil {
			t.Fatalf("admitted, and no ImageListPullJob: %v", err)
		}
		runs(t, job)
	})
}

// FuzzValidate combines the fields that can clash.
func FuzzValidate(f *testing.F) {
	f.Add("nginx", "nginx:latest", "Always", int32(600), int32(0), int64(0), int64(0), "5", "a", "b", uint8(0))
	f.Add("a:1", "b:2", "Never", int32(1), int32(900), int64(60), int64(30), "0", "a/b", "", uint8(255))
	f.Fuzz(func(t *testing.T, image, other, completion string, timeout, otherTimeout int32, deadline, otherDeadline int64,
		parallelism, key, value string, set uint8) {
		job := &v1alpha1.ImageListPullJob{}
		override := v1alpha1.ImageOverride{Image: other}
		job.Spec.Images = []string{image}
		job.Spec.CompletionPolicy = &v1alpha1.CompletionPolicy{Type: v1alpha1.CompletionPolicyType(completion)}
		for bit, apply := range []func(){
			func() { job.Spec.PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: &timeout} },
			func() { job.Spec.CompletionPolicy.ActiveDeadlineSeconds = &deadline },
			func() { override.PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: &otherTimeout} },
			func() { override.CompletionPolicy = &v1alpha1.CompletionPolicy{ActiveDeadlineSeconds: &otherDeadline} },
			func() {
				job.Spec.Selector = &v1alpha1.ImagePullJobNodeSelector{Names: []string{key, value}}
			},
			func() {
				override.Selector = &v1alpha1.ImagePullJobNodeSelector{LabelSelector: v1alpha1.LabelSelector{
					MatchLabels: map[string]v1alpha1.LabelValue{key: v1alpha1.LabelValue(value)},
				}}
			},
			func() {
				override.PodSelector = &v1alpha1.ImagePullJobPodSelector{LabelSelector: v1alpha1.LabelSelector{
					MatchExpressions: []v1alpha1.LabelSelectorRequirement{
						{Key: key, Operator: metav1.LabelSelectorOperator(parallelism), Values: []v1alpha1.LabelValue{v1alpha1.LabelValue(value)}},
					},
				}}
			},
			func() { job.Spec.ImageOverrides = []v1alpha1.ImageOverride{override} },
		} {
			if set&(1<<bit) != 0 {
				apply()
			}
		}
		if len(Validate(job)) == 0 {
			runs(t, job)
		}
	})
}

// runs checks that the controller can make a child for each image of an admitted job, which the child's own admission lets pass.
func runs(t *testing.T, job *v1alpha1.ImageListPullJob) {
	v1alpha1.SetDefaults(job)
	all := job.Spec.ImageTemplates()
	if len(all) < 1 || len(all) > maxImages {
		t.Errorf("%d images", len(all))
	}
	seen := make(map[v1alpha1.ImageKey]string)
	for i := range all {
		key, err := v1alpha1.ParseImageKey(all[i].Image)
		if err != nil {
			t.Errorf("image %q: %v", all[i].Image, err)
		}
		if first, ok := seen[key]; ok {
			t.Errorf("%q and %q are one image", first, all[i].Image)
		}
		seen[key] = all[i].Image
		if err := childRefused(&all[i].Template); err != nil {
			t.Errorf("child of %q: %v", all[i].Image, err)
		}
	}
}

// childRefused restates the admission of an ImagePullJob as Kruise v1.8.0 has it, for a defaulted template.
func childRefused(t *v1alpha1.ImagePullJobTemplate) error {
	if s := t.Selector; s != nil {
		if len(s.Names) > 0 && len(s.MatchLabels)+len(s.MatchExpressions) > 0 {
			return errors.New("both names and labels")
		}
		names := make(map[string]bool)
		for _, name := range s.Names {
			if names[name] {
				return fmt.Errorf("name %q twice", name)
			}
			names[name] = true
		}
		if err := noSelector(&s.LabelSelector); err != nil {
			return err
		}
	}
	if t.PodSelector != nil {
		if t.Selector != nil {
			return errors.New("both selectors")
		}
		if err := noSelector(&t.PodSelector.LabelSelector); err != nil {
			return err
		}
	}
	policy := t.CompletionPolicy
	switch policy.Type {
	case v1alpha1.Always:
		if policy.ActiveDeadlineSeconds != nil && int64(*t.PullPolicy.TimeoutSeconds) > *policy.ActiveDeadlineSeconds {
			return errors.New("timeout above deadline")
		}
	case v1alpha1.Never:
		if policy.ActiveDeadlineSeconds != nil || policy.TTLSecondsAfterFinished != nil {
			return errors.New("deadline or TTL with type Never")
		}
	default:
		return fmt.Errorf("type %q", policy.Type)
	}
	return nil
}

func noSelector(s *v1alpha1.LabelSelector) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	selector := &metav1.LabelSelector{}
	if err := json.Unmarshal(raw, selector); err != nil {
		return err
	}
	_, err = metav1.LabelSelectorAsSelector(selector)
	return err
}
