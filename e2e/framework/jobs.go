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

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
)

// Jobs tests ImageListPullJobs.
type Jobs struct {
	Tester[*v1alpha1.ImageListPullJob]
}

// NewJob returns a job of the namespace with these images, for the nodes that are not fake, and nothing else; With changes it. A job
// without a selector also pulls onto the fake nodes of specs that run at the same time.
func (f *Framework) NewJob(name string, images ...string) *v1alpha1.ImageListPullJob {
	return &v1alpha1.ImageListPullJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: name},
		Spec: v1alpha1.ImageListPullJobSpec{
			Images:               images,
			ImagePullJobTemplate: v1alpha1.ImagePullJobTemplate{Selector: fakenodes.RealNodes()},
		},
	}
}

// JobFromYAML returns a job of the namespace with the spec as a user writes it, which may be one that the types cannot hold.
func (f *Framework) JobFromYAML(name, spec string) *unstructured.Unstructured {
	GinkgoHelper()
	job := &unstructured.Unstructured{}
	Expect(yaml.Unmarshal([]byte("spec: "+spec), &job.Object)).To(Succeed())
	job.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ImageListPullJob"))
	job.SetNamespace(f.Namespace)
	job.SetName(name)
	return job
}

// EventuallyFinished waits until the job, as it is specified now, has finished for this reason.
func (j Jobs) EventuallyFinished(ctx context.Context, job *v1alpha1.ImageListPullJob, reason string) {
	GinkgoHelper()
	j.Eventually(ctx, job).Should(HaveFinished(reason))
}
