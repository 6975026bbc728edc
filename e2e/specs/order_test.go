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
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/framework"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

var _ = Describe("maxConcurrentImages", framework.NeedsRegistry, func() {
	f := framework.New()

	// A layer takes a second, so that images which are pulled at the same time are seen to be.
	push := func(ctx SpecContext, count int) []string {
		GinkgoHelper()
		images := make([]string, count)
		for i := range images {
			images[i] = f.PushImage(ctx, fmt.Sprintf("image-%d", i), registry.Layers(1), registry.LayerSize(100_000))
			f.Behave(ctx, images[i], registry.Behaviour{BytesPerSecond: 100_000})
		}
		return images
	}

	type span struct{ first, last time.Time }
	// served returns from when until when the registry was busy with each image.
	served := func(ctx SpecContext, images []string) []span {
		GinkgoHelper()
		spans := make([]span, len(images))
		for i, image := range images {
			requests, err := f.Requests(ctx, image)
			Expect(err).NotTo(HaveOccurred())
			Expect(requests).NotTo(BeEmpty(), image)
			spans[i].first = requests[0].Time
			for _, request := range requests {
				end := request.Time.Add(time.Duration(request.Seconds * float64(time.Second)))
				if end.After(spans[i].last) {
					spans[i].last = end
				}
			}
		}
		return spans
	}

	It("of one serves images one after the other, in the order of the list", func(ctx SpecContext) {
		images := push(ctx, 3)
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", images...), framework.MaxConcurrent(1),
			framework.PullPolicy(20, 1), framework.Parallelism(allAtOnce)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		spans := served(ctx, images)
		for i := range spans[1:] {
			Expect(spans[i+1].first).To(BeTemporally(">=", spans[i].last), "image %d waits for image %d", i+1, i)
		}
	})

	It("of two serves no more than two images at once, in the order of the list", func(ctx SpecContext) {
		images := push(ctx, 4)
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", images...), framework.MaxConcurrent(2),
			framework.PullPolicy(20, 1), framework.Parallelism(allAtOnce)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonAllImagesPulled)
		spans := served(ctx, images)
		Expect(spans[1].first).To(BeTemporally("<", spans[0].last), "the first two are served together")
		for i, span := range spans {
			var others int
			for j, other := range spans {
				if j != i && !other.first.After(span.first) && other.last.After(span.first) {
					others++
				}
			}
			Expect(others).To(BeNumerically("<=", 1), "images that are being served when image %d begins", i)
		}
		for _, later := range spans[2:] {
			Expect(later.first).To(And(BeTemporally(">", spans[0].first), BeTemporally(">", spans[1].first)))
		}
	})

	It("lets the next image take the place of one that failed", func(ctx SpecContext) {
		images := push(ctx, 3)
		f.Behave(ctx, images[0], registry.Behaviour{Status: http.StatusNotFound})
		job := f.Jobs.Create(ctx, framework.With(f.NewJob("job", images...), framework.MaxConcurrent(1),
			framework.PullPolicy(20, 0), framework.Parallelism(allAtOnce)))
		f.Jobs.EventuallyFinished(ctx, job, v1alpha1.ReasonImagesFailed)
		Expect(job).To(framework.HaveCounters(3, 0, 3, 2))
		Expect(job).To(framework.HaveFailedImage(images[0], "not found", f.NodeNames(ctx)...))
		spans := served(ctx, images)
		Expect(spans[1].first).To(BeTemporally(">", spans[0].last))
		Expect(spans[2].first).To(BeTemporally(">", spans[1].last))
	})
})
