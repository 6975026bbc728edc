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
	"os"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

var _ = Describe("kubectl", func() {
	f := framework.New()

	manifest := func(spec string) string {
		return fmt.Sprintf("apiVersion: apps.kruise.io/v1alpha1\nkind: ImageListPullJob\nmetadata: {name: job}\nspec: %s\n", spec)
	}

	It("shows the columns, and waits for the end", framework.Smoke, func(ctx SpecContext) {
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

	It("shows a job that runs, and waits until it is gone", func(ctx SpecContext) {
		nodes, image, stuck := f.FakeNodes(ctx, 1), f.Image("a"), f.Image("stuck")
		nodes.Answer(stuck, fakenodes.Hangs())
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image, stuck), framework.OnFakeNodes(nodes)))
		f.Jobs.Eventually(ctx, job).Should(framework.HaveCounters(2, 1, 1, 1))
		Expect(f.Kubectl(ctx, "", "get", "ilpj", "--no-headers", "-o", "wide")).To(MatchRegexp(`^job +2 +1 +1/1 +\d+s +1 +1 +False +1 of 2 images pulled.*\n$`))

		Expect(f.Kubectl(ctx, "", "delete", "--wait=false", "ilpj/job")).To(ContainSubstring(`imagelistpulljob.apps.kruise.io "job" deleted`))
		_, err := f.Kubectl(ctx, "", "wait", "--for=delete", "--timeout=60s", "ilpj/job")
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Kubectl(ctx, "", "get", "ilpj")).To(HavePrefix("No resources found"))
	})

	It("describes a job so that one sees what failed, and why", func(ctx SpecContext) {
		nodes, image := f.FakeNodes(ctx, 2), f.Image("a")
		nodes.Answer(image, fakenodes.Fails("manifest unknown"), nodes.Names()[1])
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.OnFakeNodes(nodes), framework.Parallelism(2)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Eventually(f.Events).WithContext(ctx).WithArguments(job).Should(ContainElement(HavePrefix("Warning Failed: ")))

		output, err := f.Kubectl(ctx, "", "describe", "ilpj", "job")
		Expect(err).NotTo(HaveOccurred())
		want, err := os.ReadFile("testdata/describe.txt")
		Expect(err).NotTo(HaveOccurred())
		_, status, _ := strings.Cut(output, "\nStatus:\n")
		Expect(anonymous(status, f.Namespace)).To(Equal(string(want)))
		failure := "0 of 1 image pulled; " + image + " failed on 1 node: manifest unknown"
		output, err = f.Kubectl(ctx, "", "get", "ilpj", "-o", "wide", "--no-headers")
		Expect(err).NotTo(HaveOccurred())
		Expect(output).To(MatchRegexp(`^job +1 +0 +0/1 +\d+s +0 +1 +True +` + regexp.QuoteMeta(failure) + `\n$`))
		_, err = f.Kubectl(ctx, "", "wait", "--for=condition=Failed", "--timeout=1s", "ilpj/job")
		Expect(err).NotTo(HaveOccurred())
		_, err = f.Kubectl(ctx, "", "wait", "--for=condition=Complete", "--timeout=1s", "ilpj/job")
		Expect(err).To(MatchError(ContainSubstring("timed out waiting")))
	})

	It("explains every field", func(ctx SpecContext) {
		all, err := f.Kubectl(ctx, "", "explain", "--recursive", "imagelistpulljob")
		Expect(err).NotTo(HaveOccurred())
		objects := objectsOf(all)
		Expect(objects).To(ContainElements("", ".spec", ".spec.imagePullJobTemplate.selector.matchExpressions", ".status.conditions"))
		for _, object := range objects {
			output, err := f.Kubectl(ctx, "", "explain", "imagelistpulljob"+object)
			Expect(err).NotTo(HaveOccurred())
			Expect(output).NotTo(Or(ContainSubstring("<empty>"), ContainSubstring("<no description>")), object)
		}
		output, err := f.Kubectl(ctx, "", "explain", "ilpj.spec.parallelism")
		Expect(err).NotTo(HaveOccurred())
		Expect(output).To(And(ContainSubstring("a whole number"), ContainSubstring("0 pauses")))
	})

	It("applies what two owners write, and tells them of a conflict", func(ctx SpecContext) {
		apply := func(owner, spec string, args ...string) (string, error) {
			args = append([]string{"apply", "--server-side", "--field-manager", owner, "-f", "-"}, args...)
			return f.Kubectl(ctx, manifest(spec), args...)
		}
		_, err := apply("team", `{images: [a, b], selector: {names: [no-such-node]}, parallelism: 2, imagePullJobTemplate: [{image: a, parallelism: 3}]}`)
		Expect(err).NotTo(HaveOccurred())
		_, err = apply("platform", `{images: [c], imagePullJobTemplate: [{image: b, parallelism: 4}]}`)
		Expect(err).NotTo(HaveOccurred())
		images := func() string {
			GinkgoHelper()
			output, err := f.Kubectl(ctx, "", "get", "ilpj", "job", "-o", "jsonpath={.spec.images} {.spec.imagePullJobTemplate[*].image}")
			Expect(err).NotTo(HaveOccurred())
			return output
		}
		Expect(images()).To(Equal(`["a","b","c"] a b`))

		_, err = apply("platform", `{images: [c], parallelism: 5, imagePullJobTemplate: [{image: b, parallelism: 4}]}`)
		Expect(err).To(MatchError(And(ContainSubstring("conflict with \"team\""), ContainSubstring(".spec.parallelism"))))
		_, err = apply("team", `{images: [a], selector: {names: [no-such-node]}, parallelism: 2}`)
		Expect(err).NotTo(HaveOccurred())
		Expect(images()).To(Equal(`["a","c"] b`), "each removes only what is its own")
	})

	It("shows what an edit would change, and nothing after it was applied", func(ctx SpecContext) {
		before, after := manifest(`{images: ["a:1"], selector: {names: [no-such-node]}}`), manifest(`{images: ["a:1", "b:1"], selector: {names: [no-such-node]}}`)
		_, err := f.Kubectl(ctx, before, "apply", "-f", "-")
		Expect(err).NotTo(HaveOccurred())
		output, err := f.Kubectl(ctx, after, "diff", "-f", "-")
		Expect(err).To(MatchError(ContainSubstring("exit status 1")), "there is a difference")
		changed := slices.DeleteFunc(strings.Split(output, "\n"), func(line string) bool {
			return !regexp.MustCompile(`^[-+] `).MatchString(line) || strings.Contains(line, "generation:")
		})
		Expect(changed).To(Equal([]string{"+  - b:1"}))
		_, err = f.Kubectl(ctx, after, "apply", "-f", "-")
		Expect(err).NotTo(HaveOccurred())
		output, err = f.Kubectl(ctx, after, "diff", "-f", "-")
		Expect(err).NotTo(HaveOccurred(), "defaults are no difference")
		Expect(output).To(BeEmpty())
	})

	It("shows one error that names every wrong field (case 12)", framework.Smoke, func(ctx SpecContext) {
		_, err := f.Kubectl(ctx, manifest(`{images: [nginx, "docker.io/library/nginx:latest"], pullPolicy: {timeoutSeconds: -5, backoffLimit: -1},
			completionPolicy: {ttlSecondsAfterFinished: -1}, parallelism: "50%", imagePullPolicy: Foo, pullSecrets: ["", a, a]}`), "apply", "-f", "-")
		Expect(err).To(MatchError(And(
			ContainSubstring("spec.images[1]"), ContainSubstring("spec.pullPolicy.timeoutSeconds"), ContainSubstring("spec.pullPolicy.backoffLimit"),
			ContainSubstring("spec.completionPolicy.ttlSecondsAfterFinished"), ContainSubstring("spec.parallelism"),
			ContainSubstring("spec.imagePullPolicy"), ContainSubstring("spec.pullSecrets[0]"), ContainSubstring("spec.pullSecrets[2]"),
		)))
	})
})

// objectsOf returns the paths of the objects among the fields that kubectl explain --recursive lists, except those of metadata, which are
// not ours. kubectl explains with an object each of its fields.
func objectsOf(explanation string) []string {
	objects, path := []string{""}, []string{}
	for _, match := range regexp.MustCompile(`(?m)^( +)(\w+)\t<(\S+)>`).FindAllStringSubmatch(explanation, -1) {
		depth := len(match[1])/2 - 1
		path = append(path[:depth], match[2])
		if path[0] != "metadata" && (match[3] == "[]Object" || match[3] == "Object") {
			objects = append(objects, "."+strings.Join(path, "."))
		}
	}
	return objects
}

// anonymous returns what kubectl prints without what is different each time: times, names that are made up, and so the width of columns.
func anonymous(text, namespace string) string {
	text = strings.ReplaceAll(text, namespace, "NAMESPACE")
	for _, replace := range [][2]string{
		{`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, "TIME"},
		{`\b\d+s\b`, "AGE"},
		{`\bjob-[a-z0-9]{10}\b`, "CHILD"},
		{`\b[0-9a-f]{32}\b`, "HASH"},
		{`----+`, "---"},
		{` +`, " "},
		{` ?\n ?`, "\n"},
	} {
		text = regexp.MustCompile(replace[0]).ReplaceAllString(text, replace[1])
	}
	return strings.TrimSpace(text) + "\n"
}
