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

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("Events", func() {
	f := framework.New()

	It("tell the story of a job", func(ctx SpecContext) {
		nodes, good, bad, other := f.FakeNodes(ctx, 1), f.Image("good"), f.Image("bad"), f.Image("other")
		nodes.Answer(bad, fakenodes.Fails("manifest unknown"))
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", good, bad), framework.OnFakeNodes(nodes)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		f.Jobs.Update(ctx, job, func(job listJob) { job.Spec.Images = []string{good, other} })
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)

		Eventually(f.Events).WithContext(ctx).WithArguments(job).Should(HaveExactElements(
			"Normal CreatedImagePullJobs: Created 2 ImagePullJobs",
			"Warning Failed: 1 of 2 images pulled; "+bad+" failed on 1 node: manifest unknown",
			HavePrefix("Normal Reopened: "),
			"Normal DeletedImagePullJobs: Deleted 1 ImagePullJob",
			"Normal CreatedImagePullJobs: Created 1 ImagePullJob",
			"Normal Completed: 2 of 2 images pulled",
		))
	})

	It("tell how a job ended at its deadline, and that its TTL removed it", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 1), f.Image("a")
		nodes.Answer(image, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes),
			framework.Deadline(2), framework.PullPolicy(2, 0), framework.TTL(2)))
		f.Jobs.EventuallyGone(ctx, job)

		Eventually(f.Events).WithContext(ctx).WithArguments(job).Should(HaveExactElements(
			"Normal CreatedImagePullJobs: Created 1 ImagePullJob",
			HavePrefix("Warning DeadlineExceeded: "),
			"Normal TTLExpired: Deleted, since ttlSecondsAfterFinished passed",
		))
	})
})
