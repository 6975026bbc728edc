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
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

func pausedImage(image string) jobOption {
	return override(v1alpha1.ImageOverride{
		Image:                image,
		ImagePullJobTemplate: v1alpha1.ImagePullJobTemplate{Parallelism: ptr.To(intstr.FromInt32(0))},
	})
}

// wantChildren settles and compares the images that have a child.
func (w *world) wantChildren(want ...string) {
	w.Helper()
	w.settle()
	var got []string
	for image := range w.children() {
		got = append(got, image)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		w.Error(diff)
	}
}

func TestImageConcurrency(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b", "c", "d", "e"), maxConcurrentImages(2), pausedImage("b")))
	w.wantChildren("a", "c")
	w.host("a", 2, 1, 0)
	w.wantChildren("a", "c")
	w.host("a", 2, 0, 2) // a failed image frees its place
	w.wantChildren("a", "c", "d")
	w.edit(maxConcurrentImages(5))
	w.wantChildren("a", "c", "d", "e")
	w.edit(func(job *v1alpha1.ImageListPullJob) { job.Spec.ImageOverrides = nil }) // b is resumed
	w.wantChildren("a", "b", "c", "d", "e")
	if w.creates != 5 || w.removes != 0 {
		t.Errorf("%d creates, %d deletes, want 5 and 0", w.creates, w.removes)
	}
}

func TestImageConcurrencyAcrossAPause(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b", "c"), maxConcurrentImages(1)))
	w.wantChildren("a")
	w.edit(parallelism(0))
	w.wantChildren("a") // or all of them would start at once when the job is resumed
	w.edit(parallelism(4))
	w.wantChildren("a")
	w.host("a", 1, 1, 0)
	w.wantChildren("a", "b")
}

func TestPausedChildHoldsNoPlace(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b"), maxConcurrentImages(1)))
	w.wantChildren("a")
	w.edit(pausedImage("a"))
	w.wantChildren("a", "b")
}

func TestRefusedImageTakesNoPlace(t *testing.T) {
	for name, limit := range map[string]int32{"one place": 1, "two places": 2} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("refused", "b", "c"), maxConcurrentImages(limit)))
			w.hooks.create = func(obj client.Object) error {
				if obj.(*kruisev1alpha1.ImagePullJob).Spec.Image == "refused" {
					return apierrors.NewForbidden(pullJobs, "x", errors.New("a policy"))
				}
				return nil
			}
			want := []string{"b", "c"}
			w.wantChildren(want[:limit]...)
		})
	}
}

func TestPredecessorKeepsThePlaceOfItsImage(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b"), maxConcurrentImages(1)))
	w.hooks.create = func(obj client.Object) error {
		obj.SetFinalizers([]string{"apps.kruise.io/fake-protection"})
		return nil
	}
	w.wantChildren("a")
	w.edit(timeout(5)) // replaces the child of a, which is not gone at once
	w.wantChildren("a")
	w.clock.SetTime(w.child("a").DeletionTimestamp.Add(releaseTime))
	w.wantChildren("a", "b") // it is never released: the others do not wait for ever
}

// A refusal is told once a minute at most, though the events of other children make many passes.
func TestRefusalIsNotRepeatedByEveryPass(t *testing.T) {
	w := newWorld(t, newJob(images("refused", "b")))
	asked := 0
	w.hooks.create = func(obj client.Object) error {
		if obj.(*kruisev1alpha1.ImagePullJob).Spec.Image != "refused" {
			return nil
		}
		asked++
		return apierrors.NewBadRequest("no")
	}
	for range 10 {
		if _, err := w.pass(); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times within a minute, want once", asked)
	}
	w.sleep(refusedRetry)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if asked != 2 {
		t.Errorf("asked %d times, want again after a minute", asked)
	}
}

// The deadline is kept though every pass fails.
func TestDeadlineOfAJobInTrouble(t *testing.T) {
	w := newWorld(t, newJob(images("a"), timeout(10), activeDeadline(60)))
	w.hooks.create = func(client.Object) error { return errors.New("no connection") }
	result, err := w.pass()
	if err != nil || result.RequeueAfter == 0 || result.RequeueAfter > errorRetry {
		t.Fatalf("got %v and %v, want another try within %s", result, err, errorRetry)
	}
	w.sleep(time.Minute)
	w.settle()
	w.wantStatus("0/0 of 1, 0 active: DeadlineExceeded")
}

func TestReopenAfterTheDeadlineGivesUnfinishedChildrenTimeAgain(t *testing.T) {
	w := newWorld(t, newJob(images("a", "ended"), timeout(60), activeDeadline(60)))
	w.settle()
	ended := w.child("ended")
	progressOf(ended, w.clock.Now(), 2, 1, 1)
	ended.Status.Message = "job exceeds activeDeadlineSeconds"
	w.status(ended)
	w.sleep(time.Minute)
	w.settle()
	w.wantStatus("0/1 of 2, 0 active: DeadlineExceeded")
	w.sleep(time.Hour)
	w.edit(images("a", "ended", "b"))
	w.settle()
	child := w.child("a")
	left := w.job().Status.StartTime.Add(time.Minute).Sub(child.CreationTimestamp.Time)
	if got := time.Duration(*child.Spec.CompletionPolicy.ActiveDeadlineSeconds) * time.Second; got > left || got < left-time.Second {
		t.Errorf("the child that goes on has a deadline of %s from its start, want %s", got, left)
	}
	w.host("a", 1, 1, 0)
	w.host("b", 1, 1, 0)
	w.settle()
	w.wantStatus("2/3 of 3, 0 active: ImagesFailed") // of the first run
}

func TestStaleCacheIsNotActedOn(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	stale := w.job()
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.hooks.get = func(_ client.ObjectKey, obj client.Object) error {
		if job, ok := obj.(*v1alpha1.ImageListPullJob); ok {
			stale.DeepCopyInto(job)
			return errServed
		}
		return nil
	}
	before := w.writes()
	result, err := w.pass()
	if err != nil || result.RequeueAfter == 0 {
		t.Errorf("got %v and %v, want another look", result, err)
	}
	if w.writes() != before {
		t.Error("written on what the cache showed before our own last write")
	}
}

func TestReasonsOfManyFailuresInTheLastPass(t *testing.T) {
	var list []string
	for i := range 30 {
		list = append(list, fmt.Sprint("image-", i))
	}
	w := newWorld(t, newJob(images(list...)))
	w.settle()
	for _, image := range list {
		w.host(image, 1, 0, 1)
	}
	w.settle()
	w.wantStatus("0/30 of 30, 0 active: ImagesFailed")
	for _, failure := range w.job().Status.FailedImagePullJobStatuses {
		if failure.Message == "" {
			t.Errorf("%s: no reason", failure.Image)
		}
	}
}

func TestStoredObjectsOfOlderRules(t *testing.T) {
	w := newWorld(t, newJob(images("a"), ttl(-1), parallelism(-3)))
	w.settle()
	w.wantStatus("0/0 of 1, 0 active: Paused")
	w.host("a", 1, 1, 0)
	w.settle()
	w.sleep(time.Hour)
	w.settle()
	if w.jobIsGone() {
		t.Error("deleted for a negative TTL")
	}
}
