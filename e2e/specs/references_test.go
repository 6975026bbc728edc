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
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

// digest is that of no image.
var digest = "sha256:" + strings.Repeat("0123456789abcdef", 4)

var _ = Describe("Image references", func() {
	f := framework.New()

	DescribeTable("reach the nodes as they are spelled", func(ctx SpecContext, image, tag string) {
		nodes := f.FakeNodes(ctx, 1)
		image = strings.ReplaceAll(image, "NS", f.Namespace)
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.EventuallyChild(ctx, job, image, HaveField("Spec.Image", image))
		Expect(nodes.Asked(ctx, nodes.Names()[0], image)).To(HaveField("Tag", tag))
	},
		Entry("without a tag", "NS/a", "latest"),
		Entry("with a registry", "quay.io/NS/team/a:v1.2_3-4", "v1.2_3-4"),
		Entry("with a registry on a port", "registry.example.com:5000/NS/a:1", "1"),
		Entry("with a registry on a port, without a tag", "localhost:5000/NS/a", "latest"),
		Entry("with a digest", "NS/a@"+digest, digest),
		Entry("with a tag beside a digest", "NS/a:1@"+digest, digest),
		Entry("as long as names, tags and digests can be",
			"registry.example.com:5000/NS/"+strings.Repeat("a-long-name/", 17)+"b:"+strings.Repeat("t", 128)+"@"+digest, digest),
	)

	It("with a port are pulled by real nodes", framework.NeedsRegistry, func(ctx SpecContext) {
		image := "registry.example.com:5000/" + f.Image("a")
		f.PushAs(ctx, image)
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.Parallelism(allAtOnce)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.NodeImages.EventuallyPulled(ctx, image, f.NodeNames(ctx)...)
	})

	It("with a digest cannot be pulled by Kruise 1.8, and the job says so", framework.NeedsRegistry, func(ctx SpecContext) {
		image := f.Image("a")
		byDigest := strings.TrimSuffix(image, ":1") + "@" + f.PushAs(ctx, image)
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", byDigest), framework.Parallelism(allAtOnce), framework.PullPolicy(30, 0)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Expect(job).To(framework.HaveFailedImage(byDigest, "couldn't parse image name", f.NodeNames(ctx)...))
	})
})

var _ = Describe("Image references", func() {
	f := framework.NewForReading()

	DescribeTable("are refused where they are none", func(ctx SpecContext, image, mend string) {
		job := f.NewJob("job", "nginx", image)
		err := f.Create(ctx, job, client.DryRunAll)
		Expect(err).To(MatchError(And(ContainSubstring("admission webhook"), ContainSubstring("spec.images[1]"), ContainSubstring(mend))))
		job = framework.With(f.NewJob("job", "nginx"), framework.Override(image))
		err = f.Create(ctx, job, client.DryRunAll)
		Expect(err).To(MatchError(And(ContainSubstring("admission webhook"), ContainSubstring("spec.imagePullJobTemplate[0].image"), ContainSubstring(mend))))
	},
		Entry("in upper case", "Library/Nginx:1", "lower case"),
		Entry("with a scheme", "https://registry.example.com/nginx", "remove the scheme"),
		Entry("with a space", "nginx ", "remove the spaces"),
		Entry("with an empty tag", "busybox:", "must be an image reference"),
		Entry("with two tags", "busybox:1:2", "must be an image reference"),
		Entry("with a tag that is too long", "busybox:"+strings.Repeat("t", 129), "must be an image reference"),
		Entry("with half a digest", "busybox@sha256:0123", "must be an image reference"),
		Entry("with an empty part", "library//busybox", "must be an image reference"),
		Entry("with a name that is too long", strings.Repeat("a", 256), "must be an image reference"),
		Entry("with nothing but a digest", strings.TrimPrefix(digest, "sha256:"), "must be an image reference"),
		Entry("without a name", ":1", "must be an image reference"),
		Entry("without anything", "", "name an image, or remove"),
		Entry("longer than any reference", strings.Repeat("a/", 300)+"a", "512"),
	)

	It("with one digest are one image, whatever their tags", func(ctx SpecContext) {
		err := f.Create(ctx, f.NewJob("job", "nginx:1@"+digest, "docker.io/library/nginx@"+digest), client.DryRunAll)
		Expect(err).To(MatchError(And(ContainSubstring("spec.images[1]"), ContainSubstring("the same image"))))
	})
})
