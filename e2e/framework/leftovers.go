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
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
)

// ofSuite is the label of the namespaces of specs.
const ofSuite = "e2e.imagelistpulljobs.kruise.io/suite"

// RemoveLeftovers removes what a suite that was killed has left: fake nodes, for which nobody answers any more, so that jobs would wait;
// namespaces, whose jobs would go on; webhooks that are kept off jobs. A schema that is open fails the suite at once.
func RemoveLeftovers(ctx context.Context) {
	GinkgoHelper()
	c, err := connection()
	Expect(err).NotTo(HaveOccurred())
	Expect(fakenodes.RemoveLeftovers(ctx, c.client)).To(Succeed())

	f := &Framework{Client: c.client, Jobs: Jobs{Tester[*v1alpha1.ImageListPullJob]{c.client}}}
	f.schema(ctx)
	for _, config := range f.webhookConfigurations(ctx) {
		Expect(f.setExemption(ctx, config, false)).To(Succeed())
	}
	namespaces := &corev1.NamespaceList{}
	Expect(f.List(ctx, namespaces, client.HasLabels{ofSuite})).To(Succeed())
	for i := range namespaces.Items {
		jobs := &v1alpha1.ImageListPullJobList{}
		Expect(f.List(ctx, jobs, client.InNamespace(namespaces.Items[i].Name))).To(Succeed())
		for j := range jobs.Items {
			f.Jobs.Release(ctx, &jobs.Items[j])
		}
		Expect(client.IgnoreNotFound(f.Delete(ctx, &namespaces.Items[i]))).To(Succeed())
	}
}
