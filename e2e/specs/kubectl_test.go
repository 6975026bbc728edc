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

	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("kubectl", func() {
	f := framework.New()

	manifest := func(spec string) string {
		return fmt.Sprintf("apiVersion: apps.kruise.io/v1alpha1\nkind: ImageListPullJob\nmetadata: {name: job}\nspec: %s\n", spec)
	}

	It("shows the columns, and waits for the end", func(ctx SpecContext) {
		output, err := f.Kubectl(ctx, manifest(`{images: [nginx, "busybox:1.35"]}`), "apply", "-f", "-")
		Expect(err).NotTo(HaveOccurred(), output)
		output, err = f.Kubectl(ctx, "", "wait", "--for=condition=Finished", "--timeout=60s", "ilpj/job")
		Expect(err).NotTo(HaveOccurred(), output)

		output, err = f.Kubectl(ctx, "", "get", "ilpj")
		Expect(err).NotTo(HaveOccurred(), output)
		Expect(output).To(MatchRegexp(`^NAME +TOTAL +ACTIVE +STATUS +AGE\njob +2 +0 +2/2 +\d+s\n$`))
		output, err = f.Kubectl(ctx, "", "get", "kruise", "-o", "wide")
		Expect(err).NotTo(HaveOccurred(), output)
		Expect(output).To(MatchRegexp(`NAME +TOTAL +ACTIVE +STATUS +AGE +SUCCEEDED +COMPLETED +FAILED +MESSAGE\n.*job +2 +0 +2/2 +\d+s +2 +2 +False +2 of 2 images pulled\n`))
	})

	DescribeTable("refuses bad input with one error that names every field",
		func(ctx SpecContext, spec string, want ...string) {
			output, err := f.Kubectl(ctx, manifest(spec), "apply", "-f", "-")
			Expect(err).To(HaveOccurred(), output)
			for _, part := range want {
				Expect(output).To(ContainSubstring(part))
			}
		},
		Entry("no images", `{parallelism: 1}`, "spec.images"),
		Entry("two spellings of one image (case 11)", `{images: [nginx, "docker.io/library/nginx:latest", index.docker.io/nginx]}`,
			"spec.images[1]", "docker.io/library/nginx:latest", "spec.images[2]", "index.docker.io/nginx"),
		Entry("a bad selector", `{images: [nginx], selector: {matchExpressions: [{key: "-", operator: In}]}}`,
			"spec.selector.matchExpressions[0].key", "spec.selector.matchExpressions[0].values"),
		Entry("both selectors", `{images: [nginx], selector: {names: [n1]}, podSelector: {matchLabels: {a: b}}}`, "spec.podSelector", "combined with selector"),
		Entry("names beside labels", `{images: [nginx], selector: {names: [n1], matchLabels: {a: b}}}`, "spec.selector"),
		Entry("a deadline below the default time-out (case 5)", `{images: [nginx], completionPolicy: {activeDeadlineSeconds: 60}}`,
			"activeDeadlineSeconds", "timeoutSeconds"),
		Entry("everything at once (case 12)", `{images: [nginx], completionPolicy: {ttlSecondsAfterFinished: -1},
			pullPolicy: {timeoutSeconds: -5, backoffLimit: -1}, parallelism: "50%", imagePullPolicy: Foo, pullSecrets: ["", a, a]}`,
			"spec.completionPolicy.ttlSecondsAfterFinished", "spec.pullPolicy.timeoutSeconds", "spec.pullPolicy.backoffLimit",
			"spec.parallelism", "spec.imagePullPolicy", "spec.pullSecrets[0]", "spec.pullSecrets[2]"),
	)
})
