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
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// JobOption is something that a job may have.
type JobOption interface {
	applyTo(*v1alpha1.ImageListPullJobSpec)
}

// TemplateOption is a JobOption that may also be given for one image, see Override.
type TemplateOption func(*v1alpha1.ImagePullJobTemplate)

func (o TemplateOption) applyTo(spec *v1alpha1.ImageListPullJobSpec) { o(&spec.ImagePullJobTemplate) }

type specOption func(*v1alpha1.ImageListPullJobSpec)

func (o specOption) applyTo(spec *v1alpha1.ImageListPullJobSpec) { o(spec) }

// With gives the job what the options say, and returns it.
func With(job *v1alpha1.ImageListPullJob, options ...JobOption) *v1alpha1.ImageListPullJob {
	for _, option := range options {
		option.applyTo(&job.Spec)
	}
	return job
}

// Override gives one image a template of its own.
func Override(image string, options ...TemplateOption) JobOption {
	return specOption(func(spec *v1alpha1.ImageListPullJobSpec) {
		override := v1alpha1.ImageOverride{Image: image}
		for _, option := range options {
			option(&override.ImagePullJobTemplate)
		}
		spec.ImageOverrides = append(spec.ImageOverrides, override)
	})
}

// MaxConcurrent lets so many images be in progress at once.
func MaxConcurrent(images int32) JobOption {
	return specOption(func(spec *v1alpha1.ImageListPullJobSpec) { spec.MaxConcurrentImages = &images })
}

// Never makes a job that does not finish.
func Never() JobOption {
	return TemplateOption(func(t *v1alpha1.ImagePullJobTemplate) { completion(t).Type = v1alpha1.Never })
}

// TTL deletes the job so many seconds after it has finished.
func TTL(seconds int32) JobOption {
	return TemplateOption(func(t *v1alpha1.ImagePullJobTemplate) { completion(t).TTLSecondsAfterFinished = &seconds })
}

// Deadline ends the job after so many seconds. Admission wants the time-out of a pull to be no longer: see PullPolicy.
func Deadline(seconds int64) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) { completion(t).ActiveDeadlineSeconds = &seconds }
}

// PullPolicy gives an attempt so many seconds, and repeats it so often.
func PullPolicy(timeoutSeconds, backoffLimit int32) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) {
		t.PullPolicy = &v1alpha1.PullPolicy{TimeoutSeconds: &timeoutSeconds, BackoffLimit: &backoffLimit}
	}
}

// Parallelism lets so many nodes pull at once; 0 pauses.
func Parallelism(nodes int) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) { t.Parallelism = ptr.To(intstr.FromInt(nodes)) }
}

// OnNodes chooses nodes by name.
func OnNodes(names ...string) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) { t.Selector = &v1alpha1.ImagePullJobNodeSelector{Names: names} }
}

// OnNodesLabelled chooses nodes by one label.
func OnNodesLabelled(key, value string) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) {
		t.Selector = &v1alpha1.ImagePullJobNodeSelector{LabelSelector: label(key, value)}
	}
}

// OnNodesWithPods chooses the nodes that run a Pod with this label.
func OnNodesWithPods(key, value string) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) {
		t.Selector = nil
		t.PodSelector = &v1alpha1.ImagePullJobPodSelector{LabelSelector: label(key, value)}
	}
}

// PullSecrets names the secrets to log in with.
func PullSecrets(names ...string) TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) { t.PullSecrets = names }
}

// PullAlways makes nodes that have the image ask the registry again.
func PullAlways() TemplateOption {
	return func(t *v1alpha1.ImagePullJobTemplate) { t.ImagePullPolicy = v1alpha1.PullAlways }
}

func completion(t *v1alpha1.ImagePullJobTemplate) *v1alpha1.CompletionPolicy {
	if t.CompletionPolicy == nil {
		t.CompletionPolicy = &v1alpha1.CompletionPolicy{}
	}
	return t.CompletionPolicy
}

func label(key, value string) v1alpha1.LabelSelector {
	return v1alpha1.LabelSelector{MatchLabels: map[string]v1alpha1.LabelValue{key: v1alpha1.LabelValue(value)}}
}
