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
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("Warnings", func() {
	f := framework.NewForReading()

	DescribeTable("tell what is likely not meant:",
		func(ctx SpecContext, spec string, want ...string) {
			warnings, err := f.WarningsOf(func(c client.Client) error { return c.Create(ctx, f.JobFromYAML("job", spec), client.DryRunAll) })
			Expect(err).NotTo(HaveOccurred())
			Expect(warnings).To(HaveLen(len(want)))
			for i, warning := range warnings {
				Expect(warning).To(ContainSubstring(want[i]))
			}
		},
		Entry("nothing", `{images: ["nginx:1"], parallelism: 2}`),
		Entry("not one node at a time, where the nodes are counted", `{images: ["nginx:1"], selector: {names: [n1]}}`),
		Entry("not a tag that moves and is pulled again", `{images: [nginx], parallelism: 2, imagePullPolicy: Always}`),
		Entry("a TTL of 0", `{images: ["nginx:1"], parallelism: 2, completionPolicy: {ttlSecondsAfterFinished: 0}}`, "0 does not delete"),
		Entry("a tag that moves and is not pulled again", `{images: [nginx], parallelism: 2}`, "tag latest with imagePullPolicy IfNotPresent"),
		Entry("one node at a time", `{images: ["nginx:1"]}`, "parallelism is at most 1 for nginx:1"),
		Entry("all of them", `{images: [nginx], completionPolicy: {ttlSecondsAfterFinished: 0}}`, "0 does not delete", "tag latest", "at most 1"),
	)
})

var _ = Describe("Warnings of edits", func() {
	f := framework.New()

	It("come when the spec changes, and not with a label", func(ctx SpecContext) {
		job := f.JobFromYAML("job", `{images: [nginx], selector: {names: [no-such-node]}}`)
		ofCreate, err := f.WarningsOf(func(c client.Client) error { return c.Create(ctx, job) })
		Expect(err).NotTo(HaveOccurred())
		Expect(ofCreate).To(ConsistOf(ContainSubstring("tag latest")))

		label := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"labels": {"team": "web"}}}`))
		Expect(f.WarningsOf(func(c client.Client) error { return c.Patch(ctx, job, label) })).To(BeEmpty())
		edit := client.RawPatch(types.MergePatchType, []byte(`{"spec": {"images": ["nginx", "busybox:1.35"]}}`))
		Expect(f.WarningsOf(func(c client.Client) error { return c.Patch(ctx, job, edit) })).To(Equal(ofCreate))
	})
})
