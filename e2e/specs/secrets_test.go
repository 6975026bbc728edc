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
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

const (
	privateHost = "private.example.com"
	user        = "puller"
	password    = "correct-horse-battery"
	guess       = "wrong-donkey-charger"
)

var _ = Describe("Pull secrets", framework.PrivateRegistry, func() {
	f := framework.New()

	// pushPrivate stores an image in a repository that demands a password.
	pushPrivate := func(ctx SpecContext, name string, behaviour registry.Behaviour) string {
		GinkgoHelper()
		image := privateHost + "/" + f.Namespace + "/" + name + ":1"
		f.PushAs(ctx, image, registry.Layers(1))
		f.Behave(ctx, image, behaviour)
		return image
	}
	basic := registry.Behaviour{Username: user, Password: password}
	tokens := registry.Behaviour{Username: user, Password: password, Tokens: true}

	newJob := func(images []string, options ...framework.JobOption) *v1alpha1.ImageListPullJob {
		return framework.With(f.NewJob("job", images...),
			append([]framework.JobOption{framework.PullPolicy(20, 0), framework.Parallelism(allAtOnce)}, options...)...)
	}

	DescribeTable("let nodes pull what is private, beside what is not",
		func(ctx SpecContext, behaviour registry.Behaviour) {
			image, public := pushPrivate(ctx, "private", behaviour), f.PushImage(ctx, "public", registry.Layers(1))
			f.Secrets.Create(ctx, f.NewPullSecret("login", privateHost, user, password))
			job := f.Jobs.Create(ctx, newJob([]string{image, public}, framework.PullSecrets("login")))
			f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
			f.NodeImages.EventuallyPulled(ctx, image, f.NodeNames(ctx)...)
			f.NodeImages.EventuallyPulled(ctx, public, f.NodeNames(ctx)...)
		},
		Entry("with a password", basic),
		Entry("with a token", tokens),
	)

	DescribeTable("that are wrong fail the image, and stay secret",
		func(ctx SpecContext, behaviour registry.Behaviour, reason string) {
			image := pushPrivate(ctx, "private", behaviour)
			f.Secrets.Create(ctx, f.NewPullSecret("login", privateHost, user, guess))
			job := f.Jobs.Create(ctx, newJob([]string{image}, framework.PullSecrets("login")))
			f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
			Expect(job).To(framework.HaveFailedImage(image, reason, f.NodeNames(ctx)...))

			Eventually(f.Events).WithContext(ctx).WithArguments(job).Should(ContainElement(HavePrefix("Warning Failed: ")))
			said, err := json.Marshal(job.Status)
			Expect(err).NotTo(HaveOccurred())
			events, err := f.Events(ctx, job)
			Expect(err).NotTo(HaveOccurred())
			for _, text := range append(events, string(said)) {
				Expect(text).NotTo(Or(ContainSubstring(guess), ContainSubstring(user)))
			}
		},
		Entry("with a password", basic, "401 Unauthorized"),
		Entry("with a token", tokens, "401 Unauthorized"),
	)

	It("that do not exist fail the image", func(ctx SpecContext) {
		image := pushPrivate(ctx, "private", basic)
		job := f.Jobs.Create(ctx, newJob([]string{image}, framework.PullSecrets("absent")))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Expect(job).To(framework.HaveFailedImage(image, "auth", f.NodeNames(ctx)...))
	})

	It("may come after the job as long as no node was told to pull", func(ctx SpecContext) {
		image := pushPrivate(ctx, "private", basic)
		job := f.Jobs.Create(ctx, newJob([]string{image}, framework.PullSecrets("late"), framework.Parallelism(0)))
		Eventually(f.Children).WithContext(ctx).Should(framework.BeForImages(image))
		f.Secrets.Create(ctx, f.NewPullSecret("late", privateHost, user, password))
		f.Jobs.Update(ctx, job, func(job *v1alpha1.ImageListPullJob) { job.Spec.Parallelism = ptr.To(intstr.FromInt(allAtOnce)) })
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		f.NodeImages.EventuallyPulled(ctx, image, f.NodeNames(ctx)...)
	})

	It("that come later help nobody, and the job ends at its deadline", func(ctx SpecContext) {
		image := pushPrivate(ctx, "private", basic)
		job := f.Jobs.Create(ctx, framework.With(newJob([]string{image}, framework.PullSecrets("late"), framework.Deadline(12)), framework.PullPolicy(5, 20)))
		Eventually(f.NodesThatAsked).WithContext(ctx).WithArguments(image).Should(ConsistOf(f.NodeNames(ctx)))
		f.Secrets.Create(ctx, f.NewPullSecret("late", privateHost, user, password))

		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonDeadlineExceeded)
		Expect(job.Status.Succeeded).To(BeZero())
		Expect(job.Status.CompletionTime.Sub(job.Status.StartTime.Time).Seconds()).To(And(BeNumerically(">=", 11), BeNumerically("<", 15)))
		Expect(job).To(framework.HaveRunOutOfTime(image, len(f.NodeNames(ctx))))
	})

	It("can be others for one image", func(ctx SpecContext) {
		one, other := pushPrivate(ctx, "one", basic), pushPrivate(ctx, "other", registry.Behaviour{Username: "another", Password: "secret"})
		third := pushPrivate(ctx, "third", registry.Behaviour{Username: "another", Password: "secret"})
		f.Secrets.Create(ctx, f.NewPullSecret("login", privateHost, user, password))
		f.Secrets.Create(ctx, f.NewPullSecret("another", privateHost, "another", "secret"))
		job := f.Jobs.Create(ctx, newJob([]string{one, other, third}, framework.PullSecrets("login"),
			framework.Override(other, framework.PullSecrets("another"))))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Expect(job).To(framework.HaveCounters(3, 0, 3, 2))
		Expect(job).To(framework.HaveFailedImage(third, "401 Unauthorized", f.NodeNames(ctx)...))
		f.NodeImages.EventuallyPulled(ctx, one, f.NodeNames(ctx)...)
		f.NodeImages.EventuallyPulled(ctx, other, f.NodeNames(ctx)...)
	})
})
