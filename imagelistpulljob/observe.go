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
	"fmt"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// observe reads everything that a plan is made from; nil if the job is gone.
func (r *reconciler) observe(ctx context.Context, key types.NamespacedName) (*state, error) {
	job := &v1alpha1.ImageListPullJob{}
	if err := r.client.Get(ctx, key, job); err != nil {
		if apierrors.IsNotFound(err) {
			r.memories.forget(key)
			return nil, nil
		}
		return nil, fmt.Errorf("read ImageListPullJob %s: %w", key, err)
	}
	memory := r.memories.of(key)
	written, replaced := memory.lastWrite()
	if job.ResourceVersion == replaced {
		return &state{stale: true}, nil
	}
	v1alpha1.SetDefaults(job)

	children, err := r.childrenOf(ctx, job)
	if err != nil {
		return nil, err
	}
	if memory.lagsBehind(children) {
		return &state{stale: true}, nil
	}
	failures, err := unexplained(job, children)
	if err != nil {
		return nil, err
	}
	reasons, more := r.reasons(ctx, job, failures)
	return &state{
		job:            job,
		children:       children,
		failureReasons: reasons,
		moreReasons:    more,
		statusWritten:  written,
		statusInterval: r.statusInterval,
	}, nil
}

// childrenOf lists the ImagePullJobs that the job controls. They are the cache's own: read only.
func (r *reconciler) childrenOf(ctx context.Context, job *v1alpha1.ImageListPullJob) ([]*kruisev1alpha1.ImagePullJob, error) {
	list := &kruisev1alpha1.ImagePullJobList{}
	err := r.client.List(ctx, list, client.InNamespace(job.Namespace),
		client.MatchingFields{controllerUIDIndex: string(job.UID)}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("list the ImagePullJobs of %s: %w", client.ObjectKeyFromObject(job), err)
	}
	children := make([]*kruisev1alpha1.ImagePullJob, len(list.Items))
	for i := range list.Items {
		children[i] = &list.Items[i]
	}
	return children, nil
}
