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
)

// ImageListPullJobSpec says which images are pulled, and where and how.
// +kubebuilder:validation:XValidation:rule="(has(self.images) ? size(self.images) : 0) + (has(self.imagePullJobTemplate) ? size(self.imagePullJobTemplate) : 0) > 0",message="at least one image is required in images",fieldPath=".images",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="!(has(self.selector) && has(self.podSelector))",message="selector and podSelector are mutually exclusive: remove one"
// +kubebuilder:validation:XValidation:rule="!has(self.completionPolicy) || !has(self.completionPolicy.type) || self.completionPolicy.type != 'Never' || !has(self.completionPolicy.activeDeadlineSeconds) && !has(self.completionPolicy.ttlSecondsAfterFinished)",message="activeDeadlineSeconds and ttlSecondsAfterFinished need completionPolicy.type Always: a job of type Never does not finish"
// +kubebuilder:validation:XValidation:rule="!has(self.completionPolicy) || !has(self.completionPolicy.activeDeadlineSeconds) || self.completionPolicy.activeDeadlineSeconds >= (has(self.pullPolicy) && has(self.pullPolicy.timeoutSeconds) ? self.pullPolicy.timeoutSeconds : 600)",message="completionPolicy.activeDeadlineSeconds must not be less than pullPolicy.timeoutSeconds (600 where that is absent): raise the one or lower the other"
type ImageListPullJobSpec struct {
	// images lists the image references to pull, such as nginx, busybox:1.35 or a reference with a digest.
	// Together with the images that only imagePullJobTemplate names there may be 1 to 255. Two spellings of one image
	// (nginx, docker.io/library/nginx:latest) are refused as duplicates.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=255
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	Images []string `json:"images"`

	// maxConcurrentImages is how many images may be in progress at once, in the order of the list. Absent: all of them.
	// Type Always only.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=255
	MaxConcurrentImages *int32 `json:"maxConcurrentImages,omitempty"`

	// The template of the ImagePullJob of every image.
	ImagePullJobTemplate `json:",inline"`

	// imagePullJobTemplate overrides the template for single images. In pullPolicy and completionPolicy each field is
	// overridden by itself, everything else as a whole. An image that images does not name is added to the list.
	// +optional
	// +listType=map
	// +listMapKey=image
	// +kubebuilder:validation:MaxItems=255
	ImageOverrides []ImageOverride `json:"imagePullJobTemplate,omitempty"`
}

// ImageOverride is what differs from the template for one image.
// +kubebuilder:validation:XValidation:rule="!(has(self.selector) && has(self.podSelector))",message="selector and podSelector are mutually exclusive: remove one"
// +kubebuilder:validation:XValidation:rule="!has(self.completionPolicy) || !has(self.completionPolicy.type) && !has(self.completionPolicy.ttlSecondsAfterFinished)",message="only activeDeadlineSeconds may be overridden for one image: type and ttlSecondsAfterFinished belong to the whole job"
type ImageOverride struct {
	// image is the image reference that the override is for, spelled as in images.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`

	ImagePullJobTemplate `json:",inline"`
}

// ImageListPullJobStatus is what the controller last observed. An image counts through its ImagePullJob.
type ImageListPullJobStatus struct {
	// observedGeneration is the metadata.generation that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// specHash identifies the images and templates last acted on. A finished job re-opens only when it changes.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	SpecHash string `json:"specHash,omitempty"`

	// startTime is when the controller started the job, or last re-opened it after an edit.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the job finished, on either outcome.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// desired is the number of images, and so of ImagePullJobs.
	// +optional
	Desired int32 `json:"desired"`

	// active is the number of images that some node is pulling now.
	// +optional
	Active int32 `json:"active"`

	// completed is the number of images whose ImagePullJob has finished, on either outcome.
	// +optional
	Completed int32 `json:"completed"`

	// succeeded is the number of completed images that were pulled on every matching node.
	// +optional
	Succeeded int32 `json:"succeeded"`

	// status is "<succeeded>/<completed>", for people.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Status string `json:"status,omitempty"`

	// failedImagePullJobStatuses lists the images that failed on some node, in the order of the spec. Nodes and message are
	// given for the first 40.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=255
	FailedImagePullJobStatuses []FailedImagePullJobStatus `json:"failedImagePullJobStatuses,omitempty"`

	// failedImageStatuses names the same images in the shape that clients of kruise-api read.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=255
	FailedImageStatuses []*FailedImageStatus `json:"failedImageStatuses,omitempty"`

	// conditions: Finished (True on either outcome), Complete, Failed, and Reconciling and Stalled for tools that follow
	// the kstatus conventions.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// FailedImagePullJobStatus says where and why an image could not be pulled.
type FailedImagePullJobStatus struct {
	// name of the ImagePullJob; empty when none was made before the deadline.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// image as spelled in the spec.
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`

	// failed is the number of nodes on which the pull failed or, at the deadline, was not finished.
	// +optional
	Failed int32 `json:"failed"`

	// failedNodes names at most 10 of these nodes, sorted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=253
	FailedNodes []string `json:"failedNodes,omitempty"`

	// message is why, as one of the failed nodes reports it; empty when unknown.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Message string `json:"message,omitempty"`
}

// FailedImageStatus is an image that failed on some node, as kruise-api shows it.
type FailedImageStatus struct {
	// imagePullJob is the name of the ImagePullJob.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ImagePullJob string `json:"imagePullJob,omitempty"`

	// name of the image, as spelled in the spec.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Name string `json:"name,omitempty"`

	// message points to where details are.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Message string `json:"message,omitempty"`
}

// Condition types of an ImageListPullJob.
const (
	// ConditionFinished is True once the job is over, on either outcome.
	ConditionFinished = "Finished"
	// ConditionComplete is True once every image was pulled on every matching node.
	ConditionComplete = "Complete"
	// ConditionFailed is True once the job is over and some image was not pulled on some node.
	ConditionFailed = "Failed"
	// ConditionReconciling is True while the job runs, and absent afterwards (kstatus).
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when the job failed, and absent otherwise (kstatus).
	ConditionStalled = "Stalled"
)

// Reasons of the conditions.
const (
	// ReasonProgressing: images are being pulled, or wait for their turn.
	ReasonProgressing = "Progressing"
	// ReasonPaused: the effective parallelism of every image is 0.
	ReasonPaused = "Paused"
	// ReasonAllImagesPulled: every image was pulled, each on at least one node.
	ReasonAllImagesPulled = "AllImagesPulled"
	// ReasonNoNodesMatched: nothing failed, but some image matched no node.
	ReasonNoNodesMatched = "NoNodesMatched"
	// ReasonImagesFailed: some image failed on some node.
	ReasonImagesFailed = "ImagesFailed"
	// ReasonDeadlineExceeded: activeDeadlineSeconds passed before the job was done.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonNeverFinishes: completionPolicy.type is Never.
	ReasonNeverFinishes = "NeverFinishes"
)

// ImageListPullJob pulls a list of images onto nodes before anyone needs them: it makes one ImagePullJob per image and
// sums up how they fare.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=ilpj,categories=kruise
// +kubebuilder:printcolumn:name="TOTAL",type="integer",JSONPath=".status.desired",description="Number of images"
// +kubebuilder:printcolumn:name="ACTIVE",type="integer",JSONPath=".status.active",description="Number of images that some node is pulling now"
// +kubebuilder:printcolumn:name="STATUS",type="string",JSONPath=".status.status",description="Images pulled on every matching node / images done, on either outcome"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp",description="Time since creation"
// +kubebuilder:printcolumn:name="SUCCEEDED",type="integer",JSONPath=".status.succeeded",priority=1,description="Number of images pulled on every matching node"
// +kubebuilder:printcolumn:name="COMPLETED",type="integer",JSONPath=".status.completed",priority=1,description="Number of images done, on either outcome"
// +kubebuilder:printcolumn:name="FAILED",type="string",JSONPath=".status.conditions[?(@.type==\"Failed\")].status",priority=1,description="True once the job is over and some image failed on some node"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.conditions[?(@.type==\"Finished\")].message",priority=1,description="How the job fares"
type ImageListPullJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says which images are pulled, and where and how.
	// +required
	Spec ImageListPullJobSpec `json:"spec,omitempty"`

	// status is what the controller last observed. Users do not write it.
	// +optional
	Status ImageListPullJobStatus `json:"status,omitempty"`
}

// ImageListPullJobList is a list of ImageListPullJobs.
// +kubebuilder:object:root=true
type ImageListPullJobList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// items of the list.
	Items []ImageListPullJob `json:"items"`
}
