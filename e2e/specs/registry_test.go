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
	"net/http"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

// allAtOnce is a parallelism that no node waits for.
const allAtOnce = 100

var _ = Describe("A registry with a fault", framework.NeedsRegistry, func() {
	f := framework.New()

	DescribeTable("fails one image of three",
		func(ctx SpecContext, fault registry.Behaviour, reason string) {
			images := []string{f.PushImage(ctx, "sound"), f.PushImage(ctx, "faulty", registry.LayerSize(100_000)), f.PushImage(ctx, "sound-too")}
			faulty := images[1]
			f.Behave(ctx, faulty, fault)
			job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", images...), framework.PullPolicy(30, 1), framework.Parallelism(allAtOnce),
				framework.Override(faulty, framework.PullPolicy(2, 1))))

			f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
			nodes := f.NodeNames(ctx)
			Expect(job).To(framework.HaveCounters(3, 0, 3, 2))
			Expect(job.Status.Status).To(Equal("2/3"))
			Expect(job).To(framework.HaveFailedImage(faulty, reason, nodes...))
			Expect(job.Status.FailedImagePullJobStatuses).To(HaveLen(1))
			f.NodeImages.EventuallyPulled(ctx, images[0], nodes...)
			f.NodeImages.EventuallyPulled(ctx, images[2], nodes...)
		},
		Entry("that hangs", registry.Behaviour{Hang: true}, "timed out"),
		Entry("that is too slow for the time-out", registry.Behaviour{BytesPerSecond: 5_000}, "timed out"),
		Entry("that closes the connection in the middle of a layer", registry.Behaviour{DieInLayer: 50_000}, "EOF"),
		Entry("that wants a password", registry.Behaviour{Status: http.StatusUnauthorized}, "auth"),
		Entry("that forbids", registry.Behaviour{Status: http.StatusForbidden}, "403 Forbidden"),
		Entry("that lacks the image", registry.Behaviour{Status: http.StatusNotFound}, "not found"),
		Entry("that is asked too often", registry.Behaviour{Status: http.StatusTooManyRequests}, "429 Too Many Requests"),
		Entry("that is broken", registry.Behaviour{Status: http.StatusInternalServerError}, "500 Internal Server Error"),
	)

	DescribeTable("does no harm if it is gone before the last attempt",
		func(ctx SpecContext, fault registry.Behaviour, met func(registry.Request) bool) {
			image := f.PushImage(ctx, "image", registry.LayerSize(100_000))
			f.Behave(ctx, image, fault)
			job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.PullPolicy(4, 5), framework.Parallelism(allAtOnce)))
			nodes := f.NodeNames(ctx)
			Eventually(func(ctx SpecContext) ([]string, error) {
				requests, err := f.Requests(ctx, image)
				return nodesOf(slices.DeleteFunc(requests, func(r registry.Request) bool { return !met(r) })), err
			}).WithContext(ctx).Should(ConsistOf(nodes), "nodes that met the fault")
			f.Behave(ctx, image, registry.Behaviour{})

			f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
			Expect(job).To(framework.HaveCounters(1, 0, 1, 1))
			f.NodeImages.EventuallyPulled(ctx, image, nodes...)
		},
		Entry("and was a hang", registry.Behaviour{Hang: true},
			func(r registry.Request) bool { return r.Status == 0 && r.Seconds > 0 }),
		Entry("and was an error", registry.Behaviour{Status: http.StatusServiceUnavailable},
			func(r registry.Request) bool { return r.Status == http.StatusServiceUnavailable }),
		Entry("and was in the middle of a layer", registry.Behaviour{DieInLayer: 50_000},
			func(r registry.Request) bool { return r.Bytes == 50_000 }),
	)

	It("is asked as often, and with as much of a break, as the pull policy says", func(ctx SpecContext) {
		image := f.PushImage(ctx, "image")
		f.Behave(ctx, image, registry.Behaviour{Hang: true})
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", image), framework.PullPolicy(2, 2), framework.Parallelism(allAtOnce)))

		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		requests, err := f.Requests(ctx, image)
		Expect(err).NotTo(HaveOccurred())
		Expect(nodesOf(requests)).To(ConsistOf(f.NodeNames(ctx)))
		attempts := map[string][]time.Time{}
		for _, request := range requests {
			Expect(request.Status).To(BeZero(), "status of an answer")
			attempts[request.Node] = append(attempts[request.Node], request.Time)
		}
		for node, times := range attempts {
			Expect(times).To(HaveLen(3), node)
			// The time-out and a break of 1 s, then of 2 s; less what the first request needed to get here on a busy machine.
			Expect(times[1].Sub(times[0])).To(BeNumerically(">", 2*time.Second), node)
			Expect(times[2].Sub(times[1])).To(BeNumerically(">", 3*time.Second), node)
		}
	})
})

// nodesOf returns the nodes that made the requests, each once.
func nodesOf(requests []registry.Request) []string {
	nodes := make([]string, len(requests))
	for i, request := range requests {
		nodes[i] = request.Node
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
