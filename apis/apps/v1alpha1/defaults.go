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

// Defaults that stand for absent fields. They are those of Kruise's ImagePullJob.
const (
	// DefaultTimeoutSeconds is the default of pullPolicy.timeoutSeconds, in seconds.
	DefaultTimeoutSeconds int32 = 600
	// DefaultBackoffLimit is the default of pullPolicy.backoffLimit, in repeated attempts.
	DefaultBackoffLimit int32 = 3
)

// SetDefaults fills in the absent fields of the spec that have a default, and nothing inside imagePullJobTemplate, where an
// absent field means the job's own. Defaulting twice changes nothing. Parallelism is left to the host, whose default is 1.
func SetDefaults(job *ImageListPullJob) {
	spec := &job.Spec
	if spec.CompletionPolicy == nil {
		spec.CompletionPolicy = &CompletionPolicy{}
	}
	if spec.CompletionPolicy.Type == "" {
		spec.CompletionPolicy.Type = Always
	}
	if spec.PullPolicy == nil {
		spec.PullPolicy = &PullPolicy{}
	}
	if spec.PullPolicy.TimeoutSeconds == nil {
		spec.PullPolicy.TimeoutSeconds = ptr.To(DefaultTimeoutSeconds)
	}
	if spec.PullPolicy.BackoffLimit == nil {
		spec.PullPolicy.BackoffLimit = ptr.To(DefaultBackoffLimit)
	}
	if spec.ImagePullPolicy == "" {
		spec.ImagePullPolicy = PullIfNotPresent
	}
}
