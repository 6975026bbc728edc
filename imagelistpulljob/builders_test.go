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
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// t0 is when the jobs of the tests start.
var t0 = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

type jobOption func(*v1alpha1.ImageListPullJob)

// newJob returns a job as observe hands it to the plan: with defaults.
func newJob(opts ...jobOption) *v1alpha1.ImageListPullJob {
	job := &v1alpha1.ImageListPullJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "job", UID: "uid-of-job", Generation: 1, CreationTimestamp: metav1.Time{Time: t0},
	}}
	for _, opt := range opts {
		opt(job)
	}
	v1alpha1.SetDefaults(job)
	return job
}

func images(images ...string) jobOption {
	return func(job *v1alpha1.ImageListPullJob) { job.Spec.Images = images }
}

func override(o v1alpha1.ImageOverride) jobOption {
	return func(job *v1alpha1.ImageListPullJob) { job.Spec.ImageOverrides = append(job.Spec.ImageOverrides, o) }
}

func policy(kind v1alpha1.CompletionPolicyType) jobOption {
	return func(job *v1alpha1.ImageListPullJob) { completionPolicy(job).Type = kind }
}

func activeDeadline(seconds int64) jobOption {
	return func(job *v1alpha1.ImageListPullJob) { completionPolicy(job).ActiveDeadlineSeconds = &seconds }
}

func ttl(seconds int32) jobOption {
	return func(job *v1alpha1.ImageListPullJob) { completionPolicy(job).TTLSecondsAfterFinished = &seconds }
}

func completionPolicy(job *v1alpha1.ImageListPullJob) *v1alpha1.CompletionPolicy {
	if job.Spec.CompletionPolicy == nil {
		job.Spec.CompletionPolicy = &v1alpha1.CompletionPolicy{}
	}
	return job.Spec.CompletionPolicy
}

func timeout(seconds int32) jobOption {
	return func(job *v1alpha1.ImageListPullJob) {
		job.Spec.PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: &seconds}
	}
}

func parallelism(n int32) jobOption {
	return func(job *v1alpha1.ImageListPullJob) { job.Spec.Parallelism = ptr.To(intstr.FromInt32(n)) }
}

func maxConcurrentImages(n int32) jobOption {
	return func(job *v1alpha1.ImageListPullJob) { job.Spec.MaxConcurrentImages = &n }
}

func nodes(names ...string) jobOption {
	return func(job *v1alpha1.ImageListPullJob) {
		job.Spec.Selector = &v1alpha1.ImagePullJobNodeSelector{Names: names}
	}
}

// progressOf sets the status of a child as the host would: so many nodes desired, succeeded and failed, the rest active. It is
// completed when every node is done, unless the job is of type Never.
func progressOf(child *kruisev1alpha1.ImagePullJob, now time.Time, desired, succeeded, failed int32) {
	s := &child.Status
	if s.StartTime == nil {
		s.StartTime = &metav1.Time{Time: now}
	}
	s.Desired, s.Succeeded, s.Failed, s.Active = desired, succeeded, failed, desired-succeeded-failed
	s.FailedNodes = nil
	for i := range failed {
		s.FailedNodes = append(s.FailedNodes, "node-"+string(rune('a'+i%26)))
	}
	if s.Active == 0 && child.Spec.CompletionPolicy.Type != kruisev1alpha1.Never {
		s.CompletionTime = &metav1.Time{Time: now}
	}
}

func validateName(name string) []string {
	return validation.IsDNS1123Subdomain(name)
}
