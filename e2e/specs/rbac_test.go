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
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

// The roles are those that every cluster has: ours are added to them.
var _ = Describe("A user of a namespace", func() {
	f := framework.New()

	beForbidden := WithTransform(apierrors.IsForbidden, BeTrue())

	DescribeTable("may do with jobs what the role lets them do with other things",
		func(ctx SpecContext, role string, mayWrite types.GomegaMatcher) {
			user := role + "-" + f.Namespace
			Expect(f.Create(ctx, &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: role},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
				Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
			})).To(Succeed())
			theirs, err := f.As(user)
			Expect(err).NotTo(HaveOccurred())
			job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", f.Image("a")), framework.OnNodes("no-such-node")))
			f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonNoNodesMatched) // nobody else writes it after that

			Eventually(func(ctx SpecContext) error { // API servers learn of bindings by a watch
				return theirs.List(ctx, &v1alpha1.ImageListPullJobList{}, client.InNamespace(f.Namespace))
			}).WithContext(ctx).Should(Succeed())
			Expect(theirs.Get(ctx, client.ObjectKeyFromObject(job), job)).To(Succeed())
			watch, err := theirs.Watch(ctx, &v1alpha1.ImageListPullJobList{}, client.InNamespace(f.Namespace))
			Expect(err).NotTo(HaveOccurred())
			watch.Stop()
			Expect(theirs.Create(ctx, f.NewJob("other", f.Image("b")), client.DryRunAll)).To(mayWrite)
			edited := job.DeepCopy()
			edited.Spec.Images = []string{f.Image("b")}
			Expect(theirs.Patch(ctx, edited, client.MergeFrom(job), client.DryRunAll)).To(mayWrite)
			Expect(theirs.Update(ctx, edited.DeepCopy(), client.DryRunAll)).To(mayWrite)
			Expect(theirs.Delete(ctx, job.DeepCopy(), client.DryRunAll)).To(mayWrite)
			Expect(theirs.DeleteAllOf(ctx, &v1alpha1.ImageListPullJob{}, client.InNamespace(f.Namespace), client.DryRunAll)).To(mayWrite)

			By("leaving to the controller what is its own, and to others what is theirs")
			Expect(theirs.SubResource("status").Get(ctx, job.DeepCopy(), &v1alpha1.ImageListPullJob{})).To(Succeed())
			finished := job.DeepCopy()
			finished.Status.Status = "1/1"
			Expect(theirs.Status().Update(ctx, finished.DeepCopy(), client.DryRunAll)).To(beForbidden)
			Expect(theirs.Status().Patch(ctx, finished, client.MergeFrom(job), client.DryRunAll)).To(beForbidden)
			Expect(theirs.SubResource("finalizers").Update(ctx, job.DeepCopy())).To(beForbidden)
			Expect(theirs.List(ctx, &v1alpha1.ImageListPullJobList{})).To(beForbidden)
			Expect(theirs.Create(ctx, &v1alpha1.ImageListPullJob{
				ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "job"},
			}, client.DryRunAll)).To(beForbidden)
		},
		Entry("who may view", "view", beForbidden),
		Entry("who may edit", "edit", Succeed()),
		Entry("who is the admin", "admin", Succeed()),
	)

	It("who has no role there may do nothing", func(ctx SpecContext) {
		theirs, err := f.As("nobody-" + f.Namespace)
		Expect(err).NotTo(HaveOccurred())
		Expect(theirs.List(ctx, &v1alpha1.ImageListPullJobList{}, client.InNamespace(f.Namespace))).To(beForbidden)
	})
})
