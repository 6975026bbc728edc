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
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// conflictRetry is when a reconcile starts over after a write met a newer version, unless the watch brings that version first.
const conflictRetry = time.Second

// apply carries a plan out. The status is written even when something before it failed, so that users see it. It returns when to
// look again, zero if there is no need to.
func (r *reconciler) apply(ctx context.Context, s *state, p plan) (time.Duration, error) {
	if p.expire {
		return r.expire(ctx, s.job)
	}
	removed := r.remove(ctx, s.job, p.remove)
	patched := r.patch(ctx, p.patch)
	made := r.create(ctx, s.job, p.create, p.places)

	wait, err := r.writeStatus(ctx, s.job, p.status, append(p.problems, made.problems...))
	return sooner(made.wait, wait), errors.Join(removed, patched, made.err, err)
}

// remove deletes children that no image wants any more, and none that has taken the name of one since.
func (r *reconciler) remove(ctx context.Context, job *v1alpha1.ImageListPullJob, children []*kruisev1alpha1.ImagePullJob) error {
	var errs []error
	removed := 0
	for _, child := range children {
		err := r.client.Delete(ctx, &kruisev1alpha1.ImagePullJob{ObjectMeta: child.ObjectMeta},
			client.Preconditions{UID: &child.UID})
		switch {
		case err == nil:
			removed++
			r.memories.of(client.ObjectKeyFromObject(job)).remove(child.UID)
		case !apierrors.IsNotFound(err) && !apierrors.IsConflict(err): // a conflict: another object has the name now
			errs = append(errs, fmt.Errorf("delete ImagePullJob %s: %w", child.Name, err))
		}
	}
	if removed > 0 {
		r.recorder.Eventf(job, corev1.EventTypeNormal, EventDeletedImagePullJobs, "Deleted %s", count(removed, "ImagePullJob"))
		log.FromContext(ctx).Info("Deleted ImagePullJobs", "deleted", removed)
	}
	return errors.Join(errs...)
}

func (r *reconciler) patch(ctx context.Context, patches []childPatch) error {
	var errs []error
	for i := range patches {
		child := patches[i].child
		if err := r.patchChild(ctx, client.ObjectKeyFromObject(child), patches[i].body); err != nil {
			errs = append(errs, fmt.Errorf("patch ImagePullJob %s: %w", child.Name, err))
		}
	}
	if done := len(patches) - len(errs); done > 0 {
		log.FromContext(ctx).Info("Patched ImagePullJobs", "patched", done)
	}
	return errors.Join(errs...)
}

// patchChild sends a merge patch. A child that is gone needs none, nor does another object that has its name now, which is a conflict.
func (r *reconciler) patchChild(ctx context.Context, key types.NamespacedName, body patchBody) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	child := &kruisev1alpha1.ImagePullJob{}
	child.Namespace, child.Name = key.Namespace, key.Name
	err = r.client.Patch(ctx, child, client.RawPatch(types.MergePatchType, raw))
	if apierrors.IsConflict(err) {
		return nil
	}
	return client.IgnoreNotFound(err)
}

// writeStatus writes a status that differs from what was read, with the resourceVersion that was read.
func (r *reconciler) writeStatus(
	ctx context.Context, job *v1alpha1.ImageListPullJob, status *v1alpha1.ImageListPullJobStatus, problems []problem,
) (time.Duration, error) {
	if status == nil {
		return 0, nil
	}
	addProblems(status, problems)
	if equality.Semantic.DeepEqual(&job.Status, status) {
		return 0, nil
	}
	updated := job.DeepCopy()
	updated.Status = *status
	err := r.client.Status().Update(ctx, updated)
	switch {
	case apierrors.IsConflict(err):
		log.FromContext(ctx).V(1).Info("Status was read too old, starting over")
		return conflictRetry, nil
	case apierrors.IsNotFound(err):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("write the status: %w", err)
	}
	r.memories.of(client.ObjectKeyFromObject(job)).wrote(job.ResourceVersion, r.clock.Now())
	for _, e := range append(statusEvents(&job.Status, status), problemEvents(&job.Status, problems)...) {
		r.recorder.Event(job, e.kind, e.reason, e.message)
		log.FromContext(ctx).Info("Changed state", "reason", e.reason, "message", e.message)
	}
	return 0, nil
}

// expire deletes a list job whose TTL has passed, if that still holds for what the API server has now.
func (r *reconciler) expire(ctx context.Context, job *v1alpha1.ImageListPullJob) (time.Duration, error) {
	current := &v1alpha1.ImageListPullJob{}
	if err := r.live.Get(ctx, client.ObjectKeyFromObject(job), current); err != nil {
		return 0, client.IgnoreNotFound(err)
	}
	v1alpha1.SetDefaults(current)
	p, err := makePlan(&state{job: current}, r.clock.Now())
	if err != nil || !p.expire {
		return conflictRetry, err
	}
	err = r.client.Delete(ctx, current, client.Preconditions{UID: &current.UID, ResourceVersion: &current.ResourceVersion})
	if apierrors.IsConflict(err) {
		return conflictRetry, nil
	}
	if err != nil {
		return 0, client.IgnoreNotFound(err)
	}
	r.recorder.Event(job, corev1.EventTypeNormal, EventTTLExpired, "Deleted, since ttlSecondsAfterFinished passed")
	log.FromContext(ctx).Info("Deleted for ttlSecondsAfterFinished")
	return 0, nil
}
