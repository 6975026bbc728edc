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

import "k8s.io/utils/ptr"

// ImageTemplate is one image of a job and the template that holds for it, overrides included.
// +kubebuilder:object:generate=false
type ImageTemplate struct {
	// Image as spelled in the spec.
	Image string
	// Template is a copy that the caller may change.
	Template ImagePullJobTemplate
}

// ImageTemplates returns every image of the job with its effective template: spec.images in their order, then the images that
// only imagePullJobTemplate names, in theirs. An override is for the image that is spelled exactly like it.
func (s *ImageListPullJobSpec) ImageTemplates() []ImageTemplate {
	overrides := make(map[string]*ImageOverride, len(s.ImageOverrides))
	for i := range s.ImageOverrides {
		overrides[s.ImageOverrides[i].Image] = &s.ImageOverrides[i]
	}
	listed := make(map[string]bool, len(s.Images))
	all := make([]ImageTemplate, 0, len(s.Images)+len(s.ImageOverrides))
	for _, image := range s.Images {
		listed[image] = true
		all = append(all, ImageTemplate{Image: image, Template: merge(&s.ImagePullJobTemplate, overrides[image])})
	}
	for i := range s.ImageOverrides {
		if image := s.ImageOverrides[i].Image; !listed[image] {
			all = append(all, ImageTemplate{Image: image, Template: merge(&s.ImagePullJobTemplate, overrides[image])})
		}
	}
	return all
}

// merge lays an override, which may be nil, over the template of the job.
func merge(base *ImagePullJobTemplate, override *ImageOverride) ImagePullJobTemplate {
	merged := *base.DeepCopy()
	if override != nil {
		over := override.DeepCopy()
		if over.PullSecrets != nil {
			merged.PullSecrets = over.PullSecrets
		}
		if over.Selector != nil || over.PodSelector != nil {
			merged.Selector, merged.PodSelector = over.Selector, over.PodSelector
		}
		if over.Parallelism != nil {
			merged.Parallelism = over.Parallelism
		}
		if over.SandboxConfig != nil {
			merged.SandboxConfig = over.SandboxConfig
		}
		if over.ImagePullPolicy != "" {
			merged.ImagePullPolicy = over.ImagePullPolicy
		}
		merged.PullPolicy = mergePullPolicy(merged.PullPolicy, over.PullPolicy)
		merged.CompletionPolicy = mergeCompletionPolicy(merged.CompletionPolicy, over.CompletionPolicy)
	}
	if merged.Selector.isEmpty() {
		// All nodes. A host must not see it: Kruise tells a job with an empty selector nothing of its nodes.
		merged.Selector = nil
	}
	return merged
}

func mergePullPolicy(base, over *PullPolicy) *PullPolicy {
	if base == nil || over == nil {
		return firstNonNil(over, base)
	}
	return &PullPolicy{
		TimeoutSeconds: firstNonNil(over.TimeoutSeconds, base.TimeoutSeconds),
		BackoffLimit:   firstNonNil(over.BackoffLimit, base.BackoffLimit),
	}
}

// mergeCompletionPolicy takes the deadline alone from the override, bounded by the job's own: type and TTL are the job's.
func mergeCompletionPolicy(base, over *CompletionPolicy) *CompletionPolicy {
	if over == nil || over.ActiveDeadlineSeconds == nil {
		return base
	}
	merged := ptr.Deref(base, CompletionPolicy{})
	if merged.ActiveDeadlineSeconds == nil || *over.ActiveDeadlineSeconds < *merged.ActiveDeadlineSeconds {
		merged.ActiveDeadlineSeconds = over.ActiveDeadlineSeconds
	}
	return &merged
}

func (s *ImagePullJobNodeSelector) isEmpty() bool {
	return s == nil || len(s.Names) == 0 && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

func firstNonNil[T any](first, second *T) *T {
	if first != nil {
		return first
	}
	return second
}
