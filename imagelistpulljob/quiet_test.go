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

package imagelistpulljob

import (
	"errors"
	"testing"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// case 1: a job that never finishes and keeps failing is not written without a change, nor is a job in any other state in which
// nothing happens.
func TestCase01NothingIsWrittenWithoutAChange(t *testing.T) {
	fail := func(w *world) {
		for _, image := range []string{"a", "b", "c"} {
			w.host(image, 3, 0, 3)
		}
	}
	for name, tc := range map[string]struct {
		job []jobOption
		// before and after are done before and after the children are made.
		before, after func(*world)
		wantReason    string
	}{
		"never, with failures": {job: []jobOption{policy(v1alpha1.Never)}, after: fail, wantReason: v1alpha1.ReasonNeverFinishes},
		"never, without nodes": {job: []jobOption{policy(v1alpha1.Never)}, after: func(w *world) { w.host("a", 0, 0, 0) }, wantReason: v1alpha1.ReasonNeverFinishes},
		"running":              {wantReason: v1alpha1.ReasonProgressing},
		"running, with a failure": {
			after: func(w *world) { w.host("a", 9, 0, 2) }, wantReason: v1alpha1.ReasonProgressing,
		},
		"running towards a deadline": {job: []jobOption{activeDeadline(3600)}, wantReason: v1alpha1.ReasonProgressing},
		"waiting for a place":        {job: []jobOption{maxConcurrentImages(1)}, wantReason: v1alpha1.ReasonProgressing},
		"paused":                     {job: []jobOption{parallelism(0)}, wantReason: v1alpha1.ReasonPaused},
		"with a child that is refused": {before: func(w *world) {
			w.hooks.create = func(client.Object) error { return apierrors.NewForbidden(pullJobs, "x", errors.New("a policy")) }
		}, wantReason: v1alpha1.ReasonProgressing},
		"with a name that is taken": {before: func(w *world) {
			wanted, err := wantedImages(newJob(images("a")))
			if err != nil {
				w.Fatal(err)
			}
			foreign := &kruisev1alpha1.ImagePullJob{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: wanted[0].childName}}
			if err := w.Create(w.ctx(), foreign); err != nil {
				w.Fatal(err)
			}
		}, wantReason: v1alpha1.ReasonProgressing},
		"finished":                    {after: fail, wantReason: v1alpha1.ReasonImagesFailed},
		"finished, with a TTL of 0":   {job: []jobOption{ttl(0)}, after: fail, wantReason: v1alpha1.ReasonImagesFailed},
		"ended by the deadline":       {job: []jobOption{timeout(5), activeDeadline(60)}, after: func(w *world) { w.sleep(time.Minute) }, wantReason: v1alpha1.ReasonDeadlineExceeded},
		"finished by another manager": {job: []jobOption{func(job *v1alpha1.ImageListPullJob) { job.Status.CompletionTime = ptrTime(t0) }}, wantReason: v1alpha1.ReasonAllImagesPulled},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(append([]jobOption{images("a", "b", "c")}, tc.job...)...))
			if tc.before != nil {
				tc.before(w)
			}
			w.settle()
			if tc.after != nil {
				tc.after(w)
			}
			w.settle()
			if got := conditionsOf(w.job())[0]; got != "Finished=False/"+tc.wantReason && got != "Finished=True/"+tc.wantReason {
				t.Fatalf("%s, want reason %s", got, tc.wantReason)
			}
			before := w.writes()
			for range 200 {
				w.sleep(2 * time.Second)
				if _, err := w.pass(); err != nil {
					t.Fatal(err)
				}
			}
			if got := w.writes() - before; got != 0 {
				t.Errorf("%d writes in 200 reconciles without a change, want 0", got)
			}
		})
	}
}
