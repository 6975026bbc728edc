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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ImagePullJobTemplate says where and how an image is pulled. Its JSON is that of kruise-api's ImagePullJobTemplate.
type ImagePullJobTemplate struct {
	// pullSecrets names Secrets of type kubernetes.io/dockerconfigjson in the namespace of the job, used to log in to the
	// registry. They must exist before the job is created: some hosts never pick up one that appears later.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	PullSecrets []string `json:"pullSecrets,omitempty"`

	// selector chooses the nodes that pull the image. Mutually exclusive with podSelector. Both absent: all nodes, or in
	// imagePullJobTemplate those of the job; an empty selector there means all nodes.
	// +optional
	Selector *ImagePullJobNodeSelector `json:"selector,omitempty"`

	// podSelector chooses the nodes that run at least one Pod, in the namespace of the job, with matching labels.
	// Mutually exclusive with selector.
	// +optional
	PodSelector *ImagePullJobPodSelector `json:"podSelector,omitempty"`

	// parallelism is how many nodes pull at once, for each image: a whole number, 0 or more. 0 pauses: pulls that run go on, no
	// node starts a new one. A change never restarts a pull. Absent: 1, or in imagePullJobTemplate that of the job.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^[0-9]{1,9}$`
	Parallelism *intstr.IntOrString `json:"parallelism,omitempty"`

	// pullPolicy bounds one pull on one node. What is absent in imagePullJobTemplate is as for the job.
	// +optional
	PullPolicy *PullPolicy `json:"pullPolicy,omitempty"`

	// completionPolicy says when the job is over. Absent: type Always without deadline or TTL. In imagePullJobTemplate only
	// activeDeadlineSeconds may be set, to at most that of the job.
	// +optional
	CompletionPolicy *CompletionPolicy `json:"completionPolicy,omitempty"`

	// sandboxConfig adds labels and annotations to the sandbox config that the node hands to the container runtime with
	// every pull, for runtimes that read them.
	// +optional
	SandboxConfig *SandboxConfig `json:"sandboxConfig,omitempty"`

	// imagePullPolicy is IfNotPresent (a node that has the image pulls nothing) or Always (every node asks the registry, so
	// that a tag that moved is pulled again). Absent: IfNotPresent, or in imagePullJobTemplate that of the job.
	// +optional
	ImagePullPolicy ImagePullPolicy `json:"imagePullPolicy,omitempty"`
}

// ImagePullPolicy says whether a node that has an image asks the registry again.
// +kubebuilder:validation:Enum=Always;IfNotPresent
type ImagePullPolicy string

const (
	// PullAlways makes every node ask the registry, whether it has the image or not.
	PullAlways ImagePullPolicy = "Always"
	// PullIfNotPresent makes only nodes without the image ask the registry. It is the default.
	PullIfNotPresent ImagePullPolicy = "IfNotPresent"
)

// ImagePullJobNodeSelector chooses nodes: either by name or by label.
type ImagePullJobNodeSelector struct {
	// names lists nodes by name. Mutually exclusive with matchLabels and matchExpressions.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5000
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Names []string `json:"names,omitempty"`

	// An empty label selector beside no names means all nodes.
	LabelSelector `json:",inline"`
}

// ImagePullJobPodSelector chooses nodes by the labels of the Pods that run on them.
type ImagePullJobPodSelector struct {
	LabelSelector `json:",inline"`
}

// LabelSelector is a label query: matchLabels and matchExpressions are ANDed. Its JSON is that of metav1.LabelSelector.
type LabelSelector struct {
	// matchLabels is a map of label keys to the value that each must have.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// matchExpressions lists requirements on labels.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty"`
}

// LabelValue is the value of a label.
// +kubebuilder:validation:MaxLength=63
type LabelValue string

// LabelSelectorRequirement is one requirement on a label.
type LabelSelectorRequirement struct {
	// key is the label key that the requirement is about.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key"`

	// operator relates the key to the values: In, NotIn, Exists or DoesNotExist.
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
	Operator metav1.LabelSelectorOperator `json:"operator"`

	// values must not be empty for In and NotIn, and must be empty for Exists and DoesNotExist.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Values []LabelValue `json:"values,omitempty"`
}

// PullPolicy bounds one pull on one node.
type PullPolicy struct {
	// timeoutSeconds is how long one attempt may take, in seconds, 1 to 86400. Default 600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`

	// backoffLimit is how many failed attempts are repeated before the node counts as failed, 0 to 1000. Default 3.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	BackoffLimit *int32 `json:"backoffLimit,omitempty"`
}

// CompletionPolicy says when the job is over.
type CompletionPolicy struct {
	// type Always (the default): the job finishes once every image has been pulled or has failed on every node.
	// type Never: the job never finishes and also pulls onto nodes that join later.
	// +optional
	Type CompletionPolicyType `json:"type,omitempty"`

	// activeDeadlineSeconds bounds the whole job, in seconds after status.startTime, paused or not. When it has passed, the
	// job finishes as failed. At least pullPolicy.timeoutSeconds (600 where that is absent). Type Always only.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`

	// ttlSecondsAfterFinished deletes the job that many seconds after it has finished. Absent or 0: it is kept.
	// Type Always only.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// CompletionPolicyType says whether a job ever finishes.
// +kubebuilder:validation:Enum=Always;Never
type CompletionPolicyType string

const (
	// Always lets the job finish. It is the default.
	Always CompletionPolicyType = "Always"
	// Never keeps the job alive, so that nodes that join later pull the images too.
	Never CompletionPolicyType = "Never"
)

// SandboxConfig is metadata handed to the container runtime with every pull.
type SandboxConfig struct {
	// labels of the sandbox config.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Labels map[string]SandboxConfigValue `json:"labels,omitempty"`

	// annotations of the sandbox config.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]SandboxConfigValue `json:"annotations,omitempty"`
}

// SandboxConfigValue is the value of a label or annotation of the sandbox config.
// +kubebuilder:validation:MaxLength=4096
type SandboxConfigValue string
