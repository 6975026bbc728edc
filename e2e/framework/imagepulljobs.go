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
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// ImagePullJobs tests ImagePullJobs.
type ImagePullJobs struct {
	Tester[*kruisev1alpha1.ImagePullJob]
}

// Of returns the children of a job that are not being deleted, by image.
func (j ImagePullJobs) Of(ctx context.Context, job *v1alpha1.ImageListPullJob) (map[string]kruisev1alpha1.ImagePullJob, error) {
	return j.byImage(ctx, job.Namespace, func(child *kruisev1alpha1.ImagePullJob) bool { return metav1.IsControlledBy(child, job) })
}

// Children returns the ImagePullJobs of the namespace that are not being deleted, by image.
func (f *Framework) Children(ctx context.Context) (map[string]kruisev1alpha1.ImagePullJob, error) {
	return f.ImagePullJobs.byImage(ctx, f.Namespace, func(*kruisev1alpha1.ImagePullJob) bool { return true })
}

func (j ImagePullJobs) byImage(ctx context.Context, namespace string, wanted func(*kruisev1alpha1.ImagePullJob) bool,
) (map[string]kruisev1alpha1.ImagePullJob, error) {
	list := &kruisev1alpha1.ImagePullJobList{}
	if err := j.client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	children := make(map[string]kruisev1alpha1.ImagePullJob, len(list.Items))
	for _, child := range list.Items {
		if child.DeletionTimestamp != nil || !wanted(&child) {
			continue
		}
		if other, ok := children[child.Spec.Image]; ok {
			return nil, fmt.Errorf("two ImagePullJobs for image %s: %s and %s", child.Spec.Image, other.Name, child.Name)
		}
		children[child.Spec.Image] = child
	}
	return children, nil
}

// EventuallyChild waits for the child of a job for an image, until a matcher is content with it.
func (f *Framework) EventuallyChild(
	ctx context.Context, job *v1alpha1.ImageListPullJob, image string, matcher types.GomegaMatcher,
) *kruisev1alpha1.ImagePullJob {
	GinkgoHelper()
	child := &kruisev1alpha1.ImagePullJob{}
	Eventually(func(ctx context.Context) (*kruisev1alpha1.ImagePullJob, error) {
		children, err := f.ImagePullJobs.Of(ctx, job)
		if err != nil {
			return nil, err
		}
		found, ok := children[image]
		if !ok {
			return nil, fmt.Errorf("job %s has no ImagePullJob for image %s", job.Name, image)
		}
		*child = found
		return child, nil
	}).WithContext(ctx).Should(matcher)
	return child
}
