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
	"encoding/json"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Annotations of a child. They hold the intent behind it, since other webhooks may mutate its spec.
const (
	// templateHashAnnotation holds the hash of the template that the child was made, or adopted, for.
	templateHashAnnotation = "imagelistpulljobs.kruise.io/template-hash"
	// imageAnnotation holds the image as the spec of the list job spelled it.
	imageAnnotation = "imagelistpulljobs.kruise.io/image"
	// lastAppliedAnnotation holds what was last applied of the fields that may change without a restart, see applied.
	lastAppliedAnnotation = "imagelistpulljobs.kruise.io/last-applied"
)

// applied are the values of the spec, before any clamping, that are patched into an unfinished child when they change.
type applied struct {
	Parallelism           *intstr.IntOrString `json:"parallelism,omitempty"`
	ActiveDeadlineSeconds *int64              `json:"activeDeadlineSeconds,omitempty"`
	// Start is that of the list job where it has a deadline: when the job is re-opened, its children have longer too.
	Start *metav1.Time `json:"start,omitempty"`
}

func appliedOf(template *kruisev1alpha1.ImagePullJobTemplate, until deadline) applied {
	a := applied{Parallelism: template.Parallelism, ActiveDeadlineSeconds: template.CompletionPolicy.ActiveDeadlineSeconds}
	if until.seconds != nil {
		a.Start = ptrTime(until.start)
	}
	return a
}

// annotation returns the value of lastAppliedAnnotation.
func (a applied) annotation() string {
	raw, err := json.Marshal(a)
	if err != nil {
		return "" // an IntOrString that no JSON decodes to
	}
	return string(raw)
}

// deadline bounds a list job and, through it, its children.
type deadline struct {
	start   time.Time
	seconds *int64 // nil: none
}

// passed says whether nothing is done any more at now.
func (d deadline) passed(now time.Time) bool {
	return d.seconds != nil && !now.Before(d.end())
}

func (d deadline) end() time.Time {
	return d.start.Add(time.Duration(*d.seconds) * time.Second)
}

// forChild returns the deadline, in seconds, of a child that starts at start: what is then left of the list job's, at most the
// child's own. A child that started before a list job that was re-opened has as long as one that starts with it. nil means none;
// less than 1 means that it is too late.
func (d deadline) forChild(own *int64, start time.Time) *int64 {
	if d.seconds == nil {
		return own
	}
	before := max(d.start.Sub(start), 0)
	left := d.end().Sub(start.Add(before))
	if own != nil {
		left = min(left, time.Duration(*own)*time.Second)
	}
	return ptr.To(int64((before + left) / time.Second))
}

// bounds returns the deadline and time-out, in seconds, of a child that starts at start. The time-out must not exceed the deadline,
// or the child's admission refuses it.
func bounds(w *wantedImage, until deadline, start time.Time) (*int64, *int32) {
	seconds := until.forChild(w.template.CompletionPolicy.ActiveDeadlineSeconds, start)
	if seconds != nil {
		seconds = ptr.To(max(*seconds, 1))
	}
	timeout := ptr.Deref(w.template.PullPolicy.TimeoutSeconds, v1alpha1.DefaultTimeoutSeconds)
	if seconds != nil && int64(timeout) > *seconds {
		timeout = int32(*seconds)
	}
	return seconds, &timeout
}

// newChild returns the ImagePullJob for an image. The TTL of the list job is never copied: a child that expired would be made
// again.
func newChild(job *v1alpha1.ImageListPullJob, w *wantedImage, until deadline, now time.Time) *kruisev1alpha1.ImagePullJob {
	child := &kruisev1alpha1.ImagePullJob{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace,
			Name:      w.childName,
			Labels:    map[string]string{appsv1.ControllerRevisionHashLabelKey: w.hash},
			Annotations: map[string]string{
				templateHashAnnotation: w.hash,
				imageAnnotation:        w.image,
				lastAppliedAnnotation:  appliedOf(&w.template, until).annotation(),
			},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(job, v1alpha1.GroupVersion.WithKind("ImageListPullJob")),
			},
		},
		Spec: kruisev1alpha1.ImagePullJobSpec{
			Image:                w.image,
			ImagePullJobTemplate: *w.template.DeepCopy(),
		},
	}
	child.Spec.CompletionPolicy.TTLSecondsAfterFinished = nil
	child.Spec.CompletionPolicy.ActiveDeadlineSeconds, child.Spec.PullPolicy.TimeoutSeconds = bounds(w, until, now)
	return child
}

// patchBody is the part of an ImagePullJob that merge patches write.
type patchBody struct {
	Metadata patchMetadata  `json:"metadata"`
	Spec     map[string]any `json:"spec,omitempty"`
}

type patchMetadata struct {
	// UID makes the API server refuse the patch for another object of the same name.
	UID         types.UID         `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// adoptionPatch makes a child of Kruise's own controller ours. Its label value stays, so that going back restarts nothing.
func adoptionPatch(w *wantedImage, child *kruisev1alpha1.ImagePullJob) patchBody {
	return patchBody{
		Metadata: patchMetadata{UID: child.UID, Annotations: map[string]string{
			templateHashAnnotation: w.hash,
			imageAnnotation:        w.image,
			lastAppliedAnnotation:  appliedOf(&child.Spec.ImagePullJobTemplate, deadline{}).annotation(),
		}},
		Spec: map[string]any{"completionPolicy": map[string]any{"ttlSecondsAfterFinished": nil}},
	}
}

// tuningPatch brings parallelism and deadline of an unfinished child to what the spec says now.
func tuningPatch(w *wantedImage, child *kruisev1alpha1.ImagePullJob, until deadline) patchBody {
	start := child.CreationTimestamp.Time
	if child.Status.StartTime != nil {
		start = child.Status.StartTime.Time
	}
	seconds, timeout := bounds(w, until, start)
	return patchBody{
		Metadata: patchMetadata{
			UID:         child.UID,
			Annotations: map[string]string{lastAppliedAnnotation: appliedOf(&w.template, until).annotation()},
		},
		Spec: map[string]any{
			"parallelism":      w.template.Parallelism,
			"completionPolicy": map[string]any{"activeDeadlineSeconds": seconds},
			"pullPolicy":       map[string]any{"timeoutSeconds": timeout},
		},
	}
}

// labelPatch restores the label that keeps a child in our cache.
func labelPatch(uid types.UID, hash string) patchBody {
	return patchBody{Metadata: patchMetadata{UID: uid, Labels: map[string]string{appsv1.ControllerRevisionHashLabelKey: hash}}}
}
