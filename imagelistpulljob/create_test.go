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
	"strings"
	"testing"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var pullJobs = schema.GroupResource{Group: "apps.kruise.io", Resource: "imagepulljobs"}

func TestRefusedChildDoesNotStopTheOthers(t *testing.T) {
	for name, refusal := range map[string]error{
		"invalid":   apierrors.NewInvalid(schema.GroupKind{Group: "apps.kruise.io", Kind: "ImagePullJob"}, "x", nil),
		"bad":       apierrors.NewBadRequest("admission webhook denied the request: not this image"),
		"forbidden": apierrors.NewForbidden(pullJobs, "x", errors.New("a policy")),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("refused", "b", "c")))
			w.hooks.create = func(obj client.Object) error {
				if obj.(*kruisev1alpha1.ImagePullJob).Spec.Image == "refused" {
					return refusal
				}
				return nil
			}
			result, err := w.pass()
			if err != nil || result.RequeueAfter != refusedRetry {
				t.Errorf("got %v and %v, want another try after %s", result, err, refusedRetry)
			}
			if got := len(w.children()); got != 2 {
				t.Errorf("%d children, want 2", got)
			}
			if got := messageOf(w.job()); !strings.Contains(got, `for image "refused"`) {
				t.Errorf("message %q does not tell what is refused", got)
			}
			if got := w.events(); !slices.Contains(got, EventFailedCreate) {
				t.Errorf("events %v lack FailedCreate", got)
			}
			before := w.statusWrites
			for range 5 {
				w.sleep(time.Minute)
				_, _ = w.pass()
			}
			if w.statusWrites != before || len(w.events()) > 0 {
				t.Errorf("%d status writes and events for a refusal that was told", w.statusWrites-before)
			}
		})
	}
}

func TestServerInTroubleIsAskedFewTimes(t *testing.T) {
	for name, trouble := range map[string]error{
		"time-out":          apierrors.NewTimeoutError("slow", 1),
		"server error":      apierrors.NewInternalError(errors.New("etcd")),
		"too many requests": apierrors.NewTooManyRequests("later", 1),
		"no connection":     errors.New("connection refused"),
	} {
		t.Run(name, func(t *testing.T) {
			var list []string
			for i := range 255 {
				list = append(list, fmt.Sprint("image-", i))
			}
			w := newWorld(t, newJob(images(list...)))
			asked := 0
			w.hooks.create = func(client.Object) error { asked++; return trouble }
			if _, err := w.pass(); err == nil {
				t.Error("no error")
			}
			if asked != 1 {
				t.Errorf("asked %d times, want once", asked)
			}
		})
	}
}

func TestAllChildrenAreMadeInOnePass(t *testing.T) {
	var list []string
	for i := range 255 {
		list = append(list, fmt.Sprint("image-", i))
	}
	w := newWorld(t, newJob(images(list...)))
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if len(w.children()) != 255 || w.statusWrites != 1 {
		t.Errorf("%d children and %d status writes, want 255 and 1", len(w.children()), w.statusWrites)
	}
	if got := w.events(); !slices.Equal(got, []string{EventCreatedImagePullJobs}) {
		t.Errorf("events %v, want one for all", got)
	}
}

func TestNamespaceInDeletionIsNoError(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.hooks.create = func(client.Object) error {
		err := apierrors.NewForbidden(pullJobs, "x", errors.New("being terminated"))
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
		return err
	}
	if _, err := w.pass(); err != nil {
		t.Error(err)
	}
}

func TestNameIsHeldByOursInDeletion(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.hooks.create = func(obj client.Object) error {
		obj.SetFinalizers([]string{"apps.kruise.io/fake-protection"})
		return nil
	}
	w.settle()
	child := w.child("a")
	child.Labels = nil // the cache does not show it
	w.change(child)
	w.remove(child)
	deleted := w.child("a").DeletionTimestamp.Time
	w.clock.SetTime(deleted)
	result, err := w.pass()
	if err != nil {
		t.Fatal(err)
	}
	if result.RequeueAfter != terminatingRetry {
		t.Errorf("looks again after %s, want %s", result.RequeueAfter, terminatingRetry)
	}
	w.events()
	w.sleep(2 * time.Minute)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if got := messageOf(w.job()); !strings.Contains(got, "held by its finalizers (apps.kruise.io/fake-protection)") {
		t.Errorf("message %q does not tell that the child is not released", got)
	}
	if got := w.events(); !slices.Equal(got, []string{EventFailedCreate}) {
		t.Errorf("events %v, want one FailedCreate", got)
	}
}

func TestUnreleasedPredecessorIsTold(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.hooks.create = func(obj client.Object) error {
		obj.SetFinalizers([]string{"apps.kruise.io/fake-protection"})
		return nil
	}
	w.settle()
	w.edit(timeout(5)) // replaces the child
	w.settle()
	w.clock.SetTime(w.child("a").DeletionTimestamp.Time)
	result, err := w.pass()
	if err != nil {
		t.Fatal(err)
	}
	if result.RequeueAfter <= 0 || result.RequeueAfter > releaseTime {
		t.Errorf("looks again after %s, want at most %s", result.RequeueAfter, releaseTime)
	}
	w.sleep(releaseTime)
	w.settle()
	if got := messageOf(w.job()); !strings.Contains(got, "held by its finalizers (apps.kruise.io/fake-protection)") {
		t.Errorf("message %q does not tell that the child is not released", got)
	}
	if w.creates != 1 {
		t.Error("a replacement was made beside its predecessor")
	}
}

// What has the name of a child cannot be looked up, or not be labelled: that is tried again, and nothing is made beside it.
func TestTakenNameInTrouble(t *testing.T) {
	trouble := apierrors.NewInternalError(errors.New("etcd"))
	for name, fail := range map[string]func(*world){
		"not looked up": func(w *world) {
			w.hooks.get = func(_ client.ObjectKey, obj client.Object) error {
				if _, ok := obj.(*kruisev1alpha1.ImagePullJob); ok {
					return trouble
				}
				return nil
			}
		},
		"not labelled": func(w *world) { w.hooks.patch = func(client.Object) error { return trouble } },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("a")))
			w.settle()
			child := w.child("a")
			child.Labels = nil
			w.change(child)
			fail(w)
			if _, err := w.pass(); !errors.Is(err, trouble) {
				t.Errorf("error %v, want %v", err, trouble)
			}
			w.hooks.get, w.hooks.patch = nil, nil
			w.settle()
			if got := w.child("a"); got.UID != child.UID || len(got.Labels) == 0 {
				t.Errorf("child %s with labels %v, want %s with one", got.UID, got.Labels, child.UID)
			}
		})
	}
}

func TestManyProblemsAreNotAllTold(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b", "c", "d", "e")))
	w.hooks.create = func(client.Object) error { return apierrors.NewForbidden(pullJobs, "x", errors.New("a policy")) }
	w.settle()
	if got := messageOf(w.job()); strings.Count(got, "a policy") != maxNamedImages || !strings.HasSuffix(got, "; and 2 more problems") {
		t.Errorf("message %q, want %d problems and how many more there are", got, maxNamedImages)
	}
	if got := w.events(); len(got) != maxNamedImages {
		t.Errorf("events %v, want %d", got, maxNamedImages)
	}
}

func TestNameIsReleasedBetweenCreateAndLookUp(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.hooks.create = func(client.Object) error { return apierrors.NewAlreadyExists(pullJobs, "x") }
	result, err := w.pass()
	if err != nil || result.RequeueAfter != conflictRetry {
		t.Errorf("got %v and %v, want another try after %s", result, err, conflictRetry)
	}
}
