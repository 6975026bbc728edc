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

package specs

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	kruiseclient "github.com/openkruise/kruise-api/client/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("The client of kruise-api", func() {
	f := framework.New()

	It("creates, watches, reads, edits and deletes jobs", func(ctx SpecContext) {
		clientset, err := kruiseclient.NewForConfig(f.Config)
		Expect(err).NotTo(HaveOccurred())
		jobs := clientset.AppsV1alpha1().ImageListPullJobs(f.Namespace)
		nodes, image, missing, other := f.FakeNodes(ctx, 2), f.Image("a"), f.Image("missing"), f.Image("b")
		nodes.Answer(missing, fakenodes.Fails("not found"), nodes.Names()[0])

		want := kruisev1alpha1.ImageListPullJobSpec{
			Images: []string{image, missing},
			ImagePullJobTemplate: kruisev1alpha1.ImagePullJobTemplate{
				PullSecrets:      []string{"login"},
				Selector:         &kruisev1alpha1.ImagePullJobNodeSelector{Names: nodes.Names()},
				Parallelism:      ptr.To(intstr.FromInt32(2)),
				PullPolicy:       &kruisev1alpha1.PullPolicy{TimeoutSeconds: ptr.To[int32](30), BackoffLimit: ptr.To[int32](1)},
				CompletionPolicy: kruisev1alpha1.CompletionPolicy{Type: kruisev1alpha1.Always, ActiveDeadlineSeconds: ptr.To[int64](600)},
				SandboxConfig:    &kruisev1alpha1.SandboxConfig{Labels: map[string]string{"team": "web"}, Annotations: map[string]string{"a": "b"}},
				ImagePullPolicy:  kruisev1alpha1.PullIfNotPresent,
			},
		}
		created, err := jobs.Create(ctx, &kruisev1alpha1.ImageListPullJob{
			ObjectMeta: metav1.ObjectMeta{Name: "job"}, Spec: want,
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(created.Spec).To(Equal(want))

		watcher, err := jobs.Watch(ctx, metav1.ListOptions{ResourceVersion: created.ResourceVersion})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(watcher.Stop)
		var seen watch.Event
		Eventually(watcher.ResultChan()).WithContext(ctx).Should(Receive(&seen, HaveField("Object.Status.CompletionTime", Not(BeNil()))))
		read, err := jobs.Get(ctx, "job", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(read).To(Equal(seen.Object))
		Expect(read.Spec).To(Equal(want))
		Expect([]int32{read.Status.Desired, read.Status.Active, read.Status.Completed, read.Status.Succeeded}).To(Equal([]int32{2, 0, 2, 1}))
		Expect(read.Status.FailedImageStatuses).To(ConsistOf(HaveValue(And(
			HaveField("Name", missing), HaveField("ImagePullJob", HavePrefix("job-")), HaveField("Message", Not(BeEmpty()))))))

		list, err := jobs.List(ctx, metav1.ListOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(list.Items).To(HaveExactElements(And(HaveField("UID", read.UID), HaveField("Spec", read.Spec), HaveField("Status", read.Status))))

		read.Spec.Images = []string{image, other}
		edited, err := jobs.Update(ctx, read, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(edited.Spec.Images).To(Equal([]string{image, other}))
		job := &v1alpha1.ImageListPullJob{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: "job"}}
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		Expect(jobs.Delete(ctx, "job", metav1.DeleteOptions{})).To(Succeed())
		f.Jobs.EventuallyGone(ctx, job)
	})

	It("deletes the jobs of a namespace", func(ctx SpecContext) {
		clientset, err := kruiseclient.NewForConfig(f.Config)
		Expect(err).NotTo(HaveOccurred())
		all := []*v1alpha1.ImageListPullJob{f.NewJob("a", f.Image("a")), f.NewJob("b", f.Image("b"))}
		for _, job := range all {
			f.Jobs.Create(ctx, framework.With(job, framework.OnNodes("no-such-node")))
		}
		Expect(clientset.AppsV1alpha1().ImageListPullJobs(f.Namespace).
			DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})).To(Succeed())
		for _, job := range all {
			f.Jobs.EventuallyGone(ctx, job)
		}
	})

	It("patches what it knows, and leaves alone what it does not know", func(ctx SpecContext) {
		clientset, err := kruiseclient.NewForConfig(f.Config)
		Expect(err).NotTo(HaveOccurred())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", f.Image("a"), f.Image("b")), framework.OnNodes("no-such-node"),
			framework.MaxConcurrent(1), framework.Override(f.Image("a"), framework.Parallelism(3))))
		want := job.Spec.DeepCopy()
		want.Images = []string{f.Image("a"), f.Image("c")}

		patch := fmt.Sprintf(`{"spec": {"images": [%q, %q]}}`, want.Images[0], want.Images[1])
		_, err = clientset.AppsV1alpha1().ImageListPullJobs(f.Namespace).Patch(ctx, "job", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Jobs.Reload(ctx, job).Spec).To(Equal(*want))
	})
})
