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
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

func TestWantedImagesAreInListOrder(t *testing.T) {
	job := newJob(images("nginx", "docker.io/library/nginx:latest", "b"),
		override(v1alpha1.ImageOverride{Image: "added"}), override(v1alpha1.ImageOverride{Image: "b"}))
	wanted, err := wantedImages(job)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range wanted {
		got = append(got, wanted[i].image)
	}
	// The second spelling of nginx, which admission refuses, is dropped.
	if diff := cmp.Diff([]string{"nginx", "b", "added"}, got); diff != "" {
		t.Error(diff)
	}
}

// The hash is kept on children: should it change between versions, every image would be pulled again.
func TestTemplateHashIsStable(t *testing.T) {
	job := newJob(images("nginx"), nodes("n1"), parallelism(3), activeDeadline(700), ttl(9))
	job.Spec.PullSecrets = []string{"s"}
	job.Spec.SandboxConfig = &v1alpha1.SandboxConfig{Labels: map[string]v1alpha1.SandboxConfigValue{"a": "b"}}
	wanted, err := wantedImages(job)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := wanted[0].hash, "c0446dbaeb8a5b33"; got != want {
		t.Errorf("template hash %s, want %s", got, want)
	}
	if got, want := wanted[0].childName, "job-vk55ktciwt"; got != want {
		t.Errorf("child name %s, want %s", got, want)
	}
}

func TestWhatRestartsPulls(t *testing.T) {
	base := []jobOption{images("nginx", "b"), nodes("n1", "n2"), func(job *v1alpha1.ImageListPullJob) {
		job.Spec.PullSecrets = []string{"s1", "s2"}
	}}
	for name, tc := range map[string]struct {
		edit        jobOption
		wantRestart bool
	}{
		"nothing":               {edit: func(*v1alpha1.ImageListPullJob) {}},
		"parallelism":           {edit: parallelism(7)},
		"deadline":              {edit: activeDeadline(1000)},
		"TTL":                   {edit: ttl(1000)},
		"image concurrency":     {edit: maxConcurrentImages(1)},
		"order of images":       {edit: images("b", "nginx")},
		"spelling of an image":  {edit: images("docker.io/library/nginx", "b")},
		"order of node names":   {edit: nodes("n2", "n1")},
		"order of pull secrets": {edit: func(job *v1alpha1.ImageListPullJob) { job.Spec.PullSecrets = []string{"s2", "s1"} }},
		"a default spelled out": {edit: timeout(600)},
		"time-out":              {edit: timeout(601), wantRestart: true},
		"node names":            {edit: nodes("n1"), wantRestart: true},
		"type":                  {edit: policy(v1alpha1.Never), wantRestart: true},
		"pull secrets":          {edit: func(job *v1alpha1.ImageListPullJob) { job.Spec.PullSecrets = nil }, wantRestart: true},
		"image pull policy":     {edit: func(job *v1alpha1.ImageListPullJob) { job.Spec.ImagePullPolicy = v1alpha1.PullAlways }, wantRestart: true},
		"sandbox config": {edit: func(job *v1alpha1.ImageListPullJob) {
			job.Spec.SandboxConfig = &v1alpha1.SandboxConfig{Annotations: map[string]v1alpha1.SandboxConfigValue{"a": "b"}}
		}, wantRestart: true},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := wantedImages(newJob(base...))
			if err != nil {
				t.Fatal(err)
			}
			after, err := wantedImages(newJob(append(slices.Clone(base), tc.edit)...))
			if err != nil {
				t.Fatal(err)
			}
			if restart := hashSpec(before) != hashSpec(after); restart != tc.wantRestart {
				t.Errorf("re-opens a finished job: %t, want %t", restart, tc.wantRestart)
			}
		})
	}
}

func TestChildNameDiffersByWhatItIsFor(t *testing.T) {
	nginx := v1alpha1.ImageKey{Name: "nginx", Tag: "latest"}
	names := []string{
		childName("job", "uid", nginx, "hash"),
		childName("job", "another", nginx, "hash"),
		childName("job", "uid", v1alpha1.ImageKey{Name: "nginx", Tag: "1"}, "hash"),
		childName("job", "uid", nginx, "other"),
	}
	slices.Sort(names)
	if got := len(slices.Compact(names)); got != 4 {
		t.Errorf("%d different names, want 4", got)
	}
}

func TestParallelismOf(t *testing.T) {
	for name, tc := range map[string]struct {
		parallelism *intstr.IntOrString
		want        int
	}{
		"absent":      {nil, 1},
		"number":      {ptr.To(intstr.FromInt32(3)), 3},
		"paused":      {ptr.To(intstr.FromInt32(0)), 0},
		"digits":      {ptr.To(intstr.FromString("5")), 5},
		"zero digits": {ptr.To(intstr.FromString("0")), 0},
	} {
		t.Run(name, func(t *testing.T) {
			job := newJob(images("a"))
			job.Spec.Parallelism = tc.parallelism
			wanted, err := wantedImages(job)
			if err != nil {
				t.Fatal(err)
			}
			if got := parallelismOf(&wanted[0].template); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestNewChildCarriesTheTemplate(t *testing.T) {
	job := newJob(images("nginx"), ttl(5), activeDeadline(100), timeout(60), parallelism(2))
	wanted, err := wantedImages(job)
	if err != nil {
		t.Fatal(err)
	}
	child := newChild(job, &wanted[0], deadline{start: t0, seconds: ptr.To[int64](100)}, t0.Add(time.Minute))
	if got := *child.Spec.CompletionPolicy.ActiveDeadlineSeconds; got != 40 {
		t.Errorf("deadline %d s, want the 40 that are left", got)
	}
	if got := *child.Spec.PullPolicy.TimeoutSeconds; got != 40 {
		t.Errorf("time-out %d s, want no more than the deadline", got)
	}
	if got := child.Annotations[lastAppliedAnnotation]; got != `{"parallelism":2,"activeDeadlineSeconds":100,"start":"2026-01-01T12:00:00Z"}` {
		t.Errorf("last applied %s, want the values of the spec", got)
	}
	if !metav1.IsControlledBy(child, job) || !*child.OwnerReferences[0].BlockOwnerDeletion {
		t.Errorf("owner references %+v", child.OwnerReferences)
	}
	if got := *wanted[0].template.PullPolicy.TimeoutSeconds; got != 60 {
		t.Errorf("the template was changed to a time-out of %d s", got)
	}
}
