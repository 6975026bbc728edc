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
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// world is a reconciler on a fake API server, with a clock of its own. A test plays the host.
type world struct {
	*testing.T
	client.Client
	reconciler *reconciler
	clock      *testingclock.FakePassiveClock
	recorder   *record.FakeRecorder
	// hooks run before the fake API server's own answer; a test sets what it needs.
	hooks struct {
		create       func(client.Object) error
		afterCreate  func(client.Object) error
		get          func(client.ObjectKey, client.Object) error
		remove       func(client.Object, *client.DeleteOptions) error
		patch        func(client.Object) error
		statusUpdate func(client.Object) error
		hide         func(*kruisev1alpha1.ImagePullJob) bool
	}
	statusWrites, creates, patches, removes, reads int
	made                                           int
	creating                                       sync.Mutex
}

func newWorld(t *testing.T, objects ...client.Object) *world {
	t.Helper()
	w := &world{T: t, clock: testingclock.NewFakePassiveClock(t0), recorder: record.NewFakeRecorder(1000)}
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.ImageListPullJob{}, &kruisev1alpha1.ImagePullJob{}).
		WithIndex(&kruisev1alpha1.ImagePullJob{}, controllerUIDIndex, controllerUID)
	w.Client = builder.Build()
	live := interceptor.NewClient(w.Client.(client.WithWatch), w.interceptor())
	w.reconciler = &reconciler{
		client: live, live: live, recorder: w.recorder, clock: w.clock, statusInterval: defaultStatusInterval,
	}
	return w
}

// interceptor counts the requests of the reconciler, and does what the fake client does not: it sets UID and creation time, and
// shows only labelled ImagePullJobs in lists, as our cache does.
func (w *world) interceptor() interceptor.Funcs {
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			w.creating.Lock() // the reconciler creates in parallel
			defer w.creating.Unlock()
			if err := call(w.hooks.create, obj); err != nil {
				return err
			}
			w.made++
			obj.SetUID(types.UID(fmt.Sprintf("uid-%d", w.made)))
			obj.SetCreationTimestamp(metav1.Time{Time: w.clock.Now()})
			if err := c.Create(ctx, obj, opts...); err != nil {
				return err
			}
			w.creates++
			return call(w.hooks.afterCreate, obj)
		},
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, ok := obj.(*v1alpha1.ImageListPullJob); !ok {
				w.reads++
			}
			if w.hooks.get != nil {
				if err := w.hooks.get(key, obj); errors.Is(err, errServed) {
					return nil
				} else if err != nil {
					return err
				}
			}
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if err := c.List(ctx, list, opts...); err != nil {
				return err
			}
			if children, ok := list.(*kruisev1alpha1.ImagePullJobList); ok {
				children.Items = slices.DeleteFunc(children.Items, func(child kruisev1alpha1.ImagePullJob) bool {
					return len(child.Labels) == 0 || w.hooks.hide != nil && w.hooks.hide(&child)
				})
			}
			return nil
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			w.removes++
			if w.hooks.remove != nil {
				options := (&client.DeleteOptions{}).ApplyOptions(opts)
				if err := w.hooks.remove(obj, options); errors.Is(err, errServed) {
					return nil
				} else if err != nil {
					return err
				}
			}
			return c.Delete(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			w.patches++
			if err := call(w.hooks.patch, obj); err != nil {
				return err
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			w.statusWrites++
			if err := call(w.hooks.statusUpdate, obj); err != nil {
				return err
			}
			return c.SubResource(sub).Update(ctx, obj, opts...)
		},
	}
}

// errServed is what a get hook returns that has filled in the object itself.
var errServed = errors.New("served")

func call(hook func(client.Object) error, obj client.Object) error {
	if hook == nil {
		return nil
	}
	return hook(obj)
}

var jobKey = types.NamespacedName{Namespace: "default", Name: "job"}

// pass reconciles once, whatever comes of it.
func (w *world) pass() (reconcile.Result, error) {
	return w.reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: jobKey})
}

// settle reconciles until a pass writes nothing.
func (w *world) settle() {
	w.Helper()
	for range 20 {
		w.sleep(2 * defaultStatusInterval) // so that no status is held back
		before := w.writes()
		if _, err := w.pass(); err != nil {
			w.Fatalf("reconcile: %v", err)
		}
		if w.writes() == before {
			return
		}
	}
	w.Fatal("still writing after 20 passes")
}

func (w *world) writes() int { return w.statusWrites + w.creates + w.patches + w.removes }

func (w *world) sleep(d time.Duration) { w.clock.SetTime(w.clock.Now().Add(d)) }

func (w *world) job() *v1alpha1.ImageListPullJob {
	w.Helper()
	job := &v1alpha1.ImageListPullJob{}
	if err := w.Get(context.Background(), jobKey, job); err != nil {
		w.Fatal(err)
	}
	return job
}

func (w *world) jobIsGone() bool {
	return apierrors.IsNotFound(w.Get(context.Background(), jobKey, &v1alpha1.ImageListPullJob{}))
}

// edit changes the spec as a user would.
func (w *world) edit(change func(*v1alpha1.ImageListPullJob)) {
	w.Helper()
	job := w.job()
	change(job)
	job.Generation++
	if err := w.Update(context.Background(), job); err != nil {
		w.Fatal(err)
	}
}

// children returns the ImagePullJobs by image.
func (w *world) children() map[string]*kruisev1alpha1.ImagePullJob {
	w.Helper()
	list := &kruisev1alpha1.ImagePullJobList{}
	if err := w.List(context.Background(), list); err != nil {
		w.Fatal(err)
	}
	children := map[string]*kruisev1alpha1.ImagePullJob{}
	for i := range list.Items {
		child := &list.Items[i]
		if other, ok := children[child.Spec.Image]; ok {
			w.Fatalf("two children for image %s: %s and %s", child.Spec.Image, child.Name, other.Name)
		}
		children[child.Spec.Image] = child
	}
	return children
}

func (w *world) child(image string) *kruisev1alpha1.ImagePullJob {
	w.Helper()
	child := w.children()[image]
	if child == nil {
		w.Fatalf("no child for image %s", image)
	}
	return child
}

// host reports the progress of an image, see progressOf.
func (w *world) host(image string, desired, succeeded, failed int32) {
	w.Helper()
	child := w.child(image)
	progressOf(child, w.clock.Now(), desired, succeeded, failed)
	w.status(child)
}

func (w *world) status(child *kruisev1alpha1.ImagePullJob) {
	w.Helper()
	if err := w.Status().Update(context.Background(), child); err != nil {
		w.Fatal(err)
	}
}

func (w *world) change(child *kruisev1alpha1.ImagePullJob) {
	w.Helper()
	if err := w.Update(context.Background(), child); err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(obj client.Object) {
	w.Helper()
	if err := w.Delete(context.Background(), obj); err != nil {
		w.Fatal(err)
	}
}

// wantStatus compares the counters and the reason of condition Finished, such as "2/2 of 3, 1 active: Progressing".
func (w *world) wantStatus(want string) {
	w.Helper()
	status := w.job().Status
	finished := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFinished)
	if finished == nil {
		w.Fatalf("no condition Finished in %+v", status)
	}
	got := fmt.Sprintf("%s of %d, %d active: %s", status.Status, status.Desired, status.Active, finished.Reason)
	if got != want {
		w.Errorf("status is %q, want %q (message %q)", got, want, finished.Message)
	}
	if done := finished.Status == metav1.ConditionTrue; done != (status.CompletionTime != nil) {
		w.Errorf("Finished is %s but completionTime is %v", finished.Status, status.CompletionTime)
	}
}

func (w *world) wantRunning() {
	w.Helper()
	if got := w.job().Status.CompletionTime; got != nil {
		w.Fatalf("finished at %s while an image is being pulled", got)
	}
}

// events returns the reasons of the events so far, and forgets them.
func (w *world) events() []string {
	var reasons []string
	for {
		select {
		case e := <-w.recorder.Events:
			reasons = append(reasons, strings.Fields(e)[1])
		default:
			return reasons
		}
	}
}

func (w *world) ctx() context.Context { return context.Background() }
