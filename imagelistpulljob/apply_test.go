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
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

func TestStatusIsWrittenAtMostOnceASecond(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b")))
	w.settle()
	w.sleep(time.Hour)
	w.host("a", 4, 0, 0)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	before := w.statusWrites
	w.sleep(300 * time.Millisecond)
	w.host("b", 4, 0, 0)
	result, err := w.pass()
	if err != nil {
		t.Fatal(err)
	}
	if w.statusWrites != before || result.RequeueAfter != 700*time.Millisecond {
		t.Errorf("%d writes and another look after %s, want 0 and 700ms", w.statusWrites-before, result.RequeueAfter)
	}
	w.host("a", 4, 0, 1) // the first failure is urgent
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if w.statusWrites != before+1 {
		t.Error("the first failure is held back")
	}
	w.host("a", 4, 3, 1)
	w.host("b", 4, 4, 0)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.wantStatus("1/2 of 2, 0 active: ImagesFailed") // so is the finish
}

func TestStatusWriteThatFails(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	trouble := apierrors.NewInternalError(errors.New("etcd"))
	w.hooks.statusUpdate = func(client.Object) error { return trouble }
	if _, err := w.pass(); !errors.Is(err, trouble) {
		t.Errorf("error %v, want %v", err, trouble)
	}
	if got := w.events(); !slices.Equal(got, []string{EventCreatedImagePullJobs}) {
		t.Errorf("events %v: those of a status that was not written", got)
	}
	w.hooks.statusUpdate = nil
	w.settle()
	w.wantStatus("0/0 of 1, 0 active: Progressing")
}

func TestJobVanishesDuringAPass(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.hooks.statusUpdate = func(obj client.Object) error {
		return apierrors.NewNotFound(pullJobs, obj.GetName())
	}
	if _, err := w.pass(); err != nil {
		t.Error(err)
	}
}

func TestJobThatIsGone(t *testing.T) {
	w := newWorld(t)
	w.reconciler.memories.of(jobKey).wrote("1", t0)
	if _, err := w.pass(); err != nil {
		t.Error(err)
	}
	if at, _ := w.reconciler.memories.of(jobKey).lastWrite(); !at.IsZero() {
		t.Error("the time of its last write is still remembered")
	}
}

func TestReadsThatFail(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	trouble := errors.New("no connection")
	w.hooks.get = func(client.ObjectKey, client.Object) error { return trouble }
	if _, err := w.pass(); !errors.Is(err, trouble) {
		t.Errorf("error %v, want %v", err, trouble)
	}
	if w.writes() != 0 {
		t.Error("something was written without knowing what there is")
	}
}

func TestDeleteOfAChildThatFails(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b")))
	w.settle()
	uid := w.child("b").UID
	trouble := errors.New("no connection")
	w.hooks.remove = func(_ client.Object, options *client.DeleteOptions) error {
		if options.Preconditions == nil || *options.Preconditions.UID != uid {
			t.Errorf("preconditions %+v, want the UID %s", options.Preconditions, uid)
		}
		return trouble
	}
	w.edit(images("a"))
	if _, err := w.pass(); !errors.Is(err, trouble) {
		t.Errorf("error %v, want %v", err, trouble)
	}
	w.host("a", 1, 1, 0)
	_, _ = w.pass() // fails again
	if w.job().Status.CompletionTime != nil {
		t.Error("completed although a child is left to delete")
	}
	w.hooks.remove = nil
	w.settle()
	w.wantStatus("1/1 of 1, 0 active: AllImagesPulled")
	if got := w.events(); !slices.Contains(got, EventDeletedImagePullJobs) {
		t.Errorf("events %v lack DeletedImagePullJobs", got)
	}
}

func TestPatchOfAChildThatFails(t *testing.T) {
	trouble := apierrors.NewInternalError(errors.New("etcd"))
	for name, tc := range map[string]struct{ answer, want error }{
		"the server is in trouble":      {trouble, trouble},
		"the child is gone":             {apierrors.NewNotFound(pullJobs, "x"), nil},
		"another object has its name":   {apierrors.NewConflict(pullJobs, "x", errors.New("the UID differs")), nil},
		"the child's admission refuses": {apierrors.NewForbidden(pullJobs, "x", trouble), trouble},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("a", "b")))
			w.settle()
			asked := 0
			w.hooks.patch = func(client.Object) error { asked++; return tc.answer }
			w.edit(parallelism(4))
			w.host("b", 2, 1, 0)
			if _, err := w.pass(); (err != nil) != (tc.want != nil) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if asked != 2 {
				t.Errorf("%d children were patched, want 2: one that cannot be does not stop the other", asked)
			}
			if got := w.job().Status; got.Active != 1 || got.ObservedGeneration != w.job().Generation {
				t.Errorf("status %+v: not written beside the error", got)
			}
			w.hooks.patch = nil
			w.settle()
			if got := w.child("a").Spec.Parallelism; got == nil || got.IntValue() != 4 {
				t.Errorf("parallelism %v afterwards, want 4", got)
			}
		})
	}
}

func TestTTL(t *testing.T) {
	finished := func(opts ...jobOption) *world {
		w := newWorld(t, newJob(append([]jobOption{images("a")}, opts...)...))
		w.settle()
		w.host("a", 1, 1, 0)
		w.settle()
		return w
	}
	t.Run("looks again when it is due", func(t *testing.T) {
		w := finished(ttl(100))
		result, err := w.pass()
		left := w.job().Status.CompletionTime.Add(100 * time.Second).Sub(w.clock.Now())
		if err != nil || result.RequeueAfter != left {
			t.Errorf("got %v and %v, want a look after %s", result, err, left)
		}
	})
	t.Run("0 keeps the job", func(t *testing.T) {
		w := finished(ttl(0))
		w.sleep(1000 * time.Hour)
		w.settle()
		if w.jobIsGone() {
			t.Error("deleted")
		}
	})
	t.Run("an edit that the cache does not show yet", func(t *testing.T) {
		w := finished(ttl(10))
		stale := w.job()
		w.edit(ttl(1000))
		w.sleep(20 * time.Second)
		v1alpha1.SetDefaults(stale)
		if _, err := w.reconciler.expire(w.ctx(), stale); err != nil {
			t.Fatal(err)
		}
		if w.jobIsGone() {
			t.Error("deleted by a TTL that holds no more")
		}
	})
	t.Run("deletes what it has read and nothing else", func(t *testing.T) {
		w := finished(ttl(10))
		want := w.job()
		w.hooks.remove = func(_ client.Object, options *client.DeleteOptions) error {
			p := options.Preconditions
			if p == nil || *p.UID != want.UID || *p.ResourceVersion != want.ResourceVersion {
				t.Errorf("preconditions %+v, want UID and resourceVersion", p)
			}
			return nil
		}
		w.events()
		w.sleep(20 * time.Second)
		w.settle()
		if got := w.events(); !w.jobIsGone() || !slices.Equal(got, []string{EventTTLExpired}) {
			t.Errorf("gone: %t, events %v, want TTLExpired", w.jobIsGone(), got)
		}
	})
	t.Run("deleted by somebody else", func(t *testing.T) {
		w := finished(ttl(10))
		due := w.job()
		v1alpha1.SetDefaults(due)
		w.remove(w.job())
		if _, err := w.reconciler.expire(w.ctx(), due); err != nil {
			t.Error(err)
		}
	})
	t.Run("a conflict starts over", func(t *testing.T) {
		w := finished(ttl(10))
		w.hooks.remove = func(client.Object, *client.DeleteOptions) error {
			return apierrors.NewConflict(pullJobs, "job", errors.New("changed"))
		}
		w.sleep(20 * time.Second)
		result, err := w.pass()
		if err != nil || result.RequeueAfter == 0 {
			t.Errorf("got %v and %v, want another look", result, err)
		}
	})
}

func TestUserObjectIsNotTouched(t *testing.T) {
	job := newJob(images("a"))
	job.Spec = v1alpha1.ImageListPullJobSpec{Images: []string{"a"}} // as stored without defaults
	w := newWorld(t, job)
	w.settle()
	w.host("a", 1, 1, 0)
	w.settle()
	after := w.job()
	if len(after.Labels)+len(after.Annotations)+len(after.Finalizers) > 0 || after.Spec.PullPolicy != nil {
		t.Errorf("more than the status was written: %+v", after.ObjectMeta)
	}
	w.wantStatus("1/1 of 1, 0 active: AllImagesPulled")
	if (metav1.Time{}) == *after.Status.StartTime {
		t.Error("no start time")
	}
}
