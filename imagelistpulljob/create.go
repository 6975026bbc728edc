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
	"errors"
	"fmt"
	"sync"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

const (
	// maxParallelCreates is how many creates of one job are under way at once.
	maxParallelCreates = 16
	// terminatingRetry is when a name is tried again that a child of ours which is being deleted still has, unless the watch
	// tells before that it is gone.
	terminatingRetry = 5 * time.Second
	// refusedRetry is when a child is tried again that was refused.
	refusedRetry = time.Minute
	// takenRetry is when a child is tried again whose name somebody else's object has.
	takenRetry = 15 * time.Second
)

// creation is what became of the creates of a plan.
type creation struct {
	created int
	// problems, in list order, are for the user to read.
	problems []problem
	wait     time.Duration
	err      error
}

// create makes children of a plan, in list order, until places of them are made. It does so in batches that double in size, so that
// a server in trouble is asked a few times and not 255. An answer that is about one child alone stops none of the others.
func (r *reconciler) create(ctx context.Context, job *v1alpha1.ImageListPullJob, children []*kruisev1alpha1.ImagePullJob, places int) creation {
	var all creation
	trouble := false
	for size := 1; !trouble && places > 0 && len(children) > 0; size = min(2*size, maxParallelCreates) {
		batch := children[:min(size, places, len(children))]
		children = children[len(batch):]
		for _, outcome := range r.createBatch(ctx, job, batch) {
			all.add(outcome)
			trouble = trouble || outcome.err != nil
			if len(outcome.problems) == 0 {
				places--
			}
		}
	}
	if all.created > 0 {
		r.recorder.Eventf(job, corev1.EventTypeNormal, EventCreatedImagePullJobs, "Created %s", count(all.created, "ImagePullJob"))
		log.FromContext(ctx).Info("Created ImagePullJobs", "created", all.created)
	}
	return all
}

func (c *creation) add(one creation) {
	c.created += one.created
	c.problems = append(c.problems, one.problems...)
	c.wait = sooner(c.wait, one.wait)
	c.err = errors.Join(c.err, one.err)
}

func (r *reconciler) createBatch(ctx context.Context, job *v1alpha1.ImageListPullJob, batch []*kruisev1alpha1.ImagePullJob) []creation {
	outcomes := make([]creation, len(batch))
	var wg sync.WaitGroup
	for i := range batch {
		wg.Add(1)
		go func() {
			defer wg.Done()
			outcomes[i] = r.createOne(ctx, job, batch[i])
		}()
	}
	wg.Wait()
	return outcomes
}

func (r *reconciler) createOne(ctx context.Context, job *v1alpha1.ImageListPullJob, child *kruisev1alpha1.ImagePullJob) creation {
	memory, now := r.memories.of(client.ObjectKeyFromObject(job)), r.clock.Now()
	if held, ok := memory.refused(child.Name, now); ok {
		return creation{problems: []problem{held.problem}, wait: held.until.Sub(now)}
	}
	err := r.client.Create(ctx, child)
	switch {
	case err == nil:
		return creation{created: 1}
	case apierrors.IsAlreadyExists(err):
		return r.resolveTaken(ctx, job, child)
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return creation{} // the job goes with its namespace
	}
	err = fmt.Errorf("create ImagePullJob %s for image %q: %w", child.Name, child.Spec.Image, err)
	p := problem{EventFailedCreate, shorten(err.Error(), maxProblem)}
	if isTrouble(err) {
		return creation{problems: []problem{p}, err: err}
	}
	log.FromContext(ctx).Error(err, "ImagePullJob refused", "requeueAfter", refusedRetry)
	return r.refuse(job, child, p, refusedRetry)
}

// refuse tells of a child that cannot be made, and leaves it for a while.
func (r *reconciler) refuse(job *v1alpha1.ImageListPullJob, child *kruisev1alpha1.ImagePullJob, p problem, retry time.Duration) creation {
	r.memories.of(client.ObjectKeyFromObject(job)).refuse(child.Name, p, r.clock.Now().Add(retry))
	return creation{problems: []problem{p}, wait: retry}
}

// resolveTaken looks at what has the name of a child that the cache does not show.
func (r *reconciler) resolveTaken(ctx context.Context, job *v1alpha1.ImageListPullJob, child *kruisev1alpha1.ImagePullJob) creation {
	current := &kruisev1alpha1.ImagePullJob{}
	if err := r.live.Get(ctx, client.ObjectKeyFromObject(child), current); err != nil {
		if apierrors.IsNotFound(err) {
			return creation{wait: conflictRetry}
		}
		return creation{err: fmt.Errorf("read ImagePullJob %s: %w", child.Name, err)}
	}
	switch {
	case !metav1.IsControlledBy(current, job):
		return r.refuse(job, child, nameTaken(child), takenRetry)
	case current.DeletionTimestamp != nil:
		problems, _ := awaitRelease(current, r.clock.Now())
		return creation{problems: problems, wait: terminatingRetry}
	case current.Labels[appsv1.ControllerRevisionHashLabelKey] == "":
		log.FromContext(ctx).Info("Restoring the label of an ImagePullJob", "imagePullJob", child.Name)
		hash := child.Labels[appsv1.ControllerRevisionHashLabelKey]
		if err := r.patchChild(ctx, client.ObjectKeyFromObject(child), labelPatch(current.UID, hash)); err != nil {
			return creation{err: fmt.Errorf("restore the label of ImagePullJob %s: %w", child.Name, err)}
		}
	}
	return creation{} // ours: the cache will show it
}

// isTrouble says whether an error is about the server, and not about the one object: then the others would fail too.
func isTrouble(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true // no answer at all
	}
	code := status.Status().Code
	return code == 429 || code >= 500
}
