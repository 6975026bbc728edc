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
	"strings"
	"testing"
	"unicode/utf8"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// nodeImage returns what a node reports of a pull that failed.
func nodeImage(node string, child *kruisev1alpha1.ImagePullJob, message string, change ...func(*kruisev1alpha1.NodeImage)) *kruisev1alpha1.NodeImage {
	key := keyOf(child.Spec.Image)
	n := &kruisev1alpha1.NodeImage{
		ObjectMeta: metav1.ObjectMeta{Name: node},
		Spec: kruisev1alpha1.NodeImageSpec{Images: map[string]kruisev1alpha1.ImageSpec{key.Name: {Tags: []kruisev1alpha1.ImageTagSpec{
			{Tag: "other", Version: 7},
			{Tag: key.Tag, Version: 3, OwnerReferences: []corev1.ObjectReference{{UID: child.UID}}},
		}}}},
		Status: kruisev1alpha1.NodeImageStatus{ImageStatuses: map[string]kruisev1alpha1.ImageStatus{key.Name: {Tags: []kruisev1alpha1.ImageTagStatus{
			{Tag: "other", Version: 7, Phase: kruisev1alpha1.ImagePhaseFailed, Message: "of another tag"},
			{Tag: key.Tag, Version: 3, Phase: kruisev1alpha1.ImagePhaseFailed, Message: message},
		}}}},
	}
	for _, f := range change {
		f(n)
	}
	return n
}

func TestFailureReason(t *testing.T) {
	child := &kruisev1alpha1.ImagePullJob{ObjectMeta: metav1.ObjectMeta{UID: "uid-of-child"}, Spec: kruisev1alpha1.ImagePullJobSpec{Image: "nginx:1"}}
	for name, tc := range map[string]struct {
		change func(*kruisev1alpha1.NodeImage)
		want   string
	}{
		"of this pull": {func(*kruisev1alpha1.NodeImage) {}, "not found"},
		"of another job's pull": {func(n *kruisev1alpha1.NodeImage) {
			n.Spec.Images["nginx"].Tags[1].OwnerReferences[0].UID = "another"
		}, ""},
		"of an earlier pull": {func(n *kruisev1alpha1.NodeImage) { n.Status.ImageStatuses["nginx"].Tags[1].Version = 2 }, ""},
		"of a pull that goes on": {func(n *kruisev1alpha1.NodeImage) {
			n.Status.ImageStatuses["nginx"].Tags[1].Phase = kruisev1alpha1.ImagePhasePulling
		}, ""},
		"wrapped by every layer": {func(n *kruisev1alpha1.NodeImage) {
			n.Status.ImageStatuses["nginx"].Tags[1].Message = `Failed to pull image reference "nginx:1": rpc error: code = NotFound desc = ` +
				`failed to pull and unpack image "docker.io/library/nginx:1": failed to resolve image: docker.io/library/nginx:1: not found`
		}, "failed to resolve image: docker.io/library/nginx:1: not found"},
		"a time-out, as gRPC has it": {func(n *kruisev1alpha1.NodeImage) {
			n.Status.ImageStatuses["nginx"].Tags[1].Message = `Failed to pull image reference "nginx:1": rpc error: code = DeadlineExceeded desc = ` +
				`stream terminated by RST_STREAM with error code: CANCEL`
		}, "timed out: stream terminated by RST_STREAM with error code: CANCEL"},
		"a time-out, as kruise-daemon has it": {func(n *kruisev1alpha1.NodeImage) {
			n.Status.ImageStatuses["nginx"].Tags[1].Message = "pulling image nginx:1 is canceled"
		}, "timed out: pulling image nginx:1 is canceled"},
		"not reported": {func(n *kruisev1alpha1.NodeImage) { n.Status = kruisev1alpha1.NodeImageStatus{} }, ""},
		"empty":        {func(n *kruisev1alpha1.NodeImage) { *n = kruisev1alpha1.NodeImage{} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := failureReason(nodeImage("n", child, "not found", tc.change), child); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestReasonsAreReadOncePerFailure(t *testing.T) {
	var list []string
	for i := range 25 {
		list = append(list, fmt.Sprint("image-", i))
	}
	w := newWorld(t, newJob(images(list...)))
	w.settle()
	for _, image := range list {
		w.host(image, 1, 0, 0)
	}
	w.settle()
	for _, image := range list {
		child := w.child(image)
		if image == list[0] {
			if err := w.Create(w.ctx(), nodeImage("node-a", child, "manifest unknown")); err != nil {
				t.Fatal(err)
			}
		}
		progressOf(child, w.clock.Now(), 2, 0, 1)
		w.status(child)
	}
	before := w.reads
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if got := w.reads - before; got != maxReasonReads {
		t.Errorf("%d NodeImages read in a reconcile, want %d", got, maxReasonReads)
	}
	w.settle()
	if got := w.reads - before; got != len(list) {
		t.Errorf("%d NodeImages read, want one for each of %d images", got, len(list))
	}
	for i, failure := range w.job().Status.FailedImagePullJobStatuses {
		want := "see kubectl get nodeimage node-a -o yaml"
		if i == 0 {
			want = "manifest unknown"
		}
		if failure.Message != want {
			t.Errorf("%s: message %q, want %q", failure.Image, failure.Message, want)
		}
	}
	w.settle()
	if got := w.reads - before; got != len(list) {
		t.Errorf("%d NodeImages read: again although nothing changed", got)
	}
}

// The status does not list images whose names are too long for all to fit, nor nodes with such names. Nothing is read for what it
// cannot show, nothing waits for that, and what it shows stays the same.
func TestReasonsOfMoreThanTheStatusCanShow(t *testing.T) {
	for name, tc := range map[string]struct{ imageLength, nodeLength int }{
		"long images": {imageLength: 380, nodeLength: 10},
		"long nodes":  {imageLength: 20, nodeLength: 253},
	} {
		t.Run(name, func(t *testing.T) {
			var list []string
			for i := range 255 {
				image := fmt.Sprintf("image-%03d", i)
				list = append(list, image+strings.Repeat("p", min(tc.imageLength, 250)-len(image))+":"+strings.Repeat("t", max(tc.imageLength-250, 1)))
			}
			w := newWorld(t, newJob(images(list...)))
			w.settle()
			for _, child := range w.children() {
				progressOf(child, w.clock.Now(), maxFailedNodes, 0, maxFailedNodes)
				for n := range child.Status.FailedNodes {
					child.Status.FailedNodes[n] = fmt.Sprintf("%03d", n) + strings.Repeat("n", tc.nodeLength-3)
				}
				w.status(child)
			}
			w.settle()
			w.wantStatus("0/255 of 255, 0 active: ImagesFailed")
			reasons := 0
			for i, failure := range w.job().Status.FailedImagePullJobStatuses {
				if (failure.Message == "") != (len(failure.FailedNodes) == 0) {
					t.Errorf("failure %d has message %q beside %d nodes", i, failure.Message, len(failure.FailedNodes))
				}
				if failure.Message != "" {
					reasons++
				}
			}
			if w.reads != reasons || reasons == 0 {
				t.Errorf("%d NodeImages read for the reasons of %d images", w.reads, reasons)
			}
		})
	}
}

func TestReasonIsReadOnceWhileTheStatusIsHeldBack(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b", "c")))
	w.settle()
	w.host("a", 2, 0, 1)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.host("b", 2, 0, 1)
	before, writes := w.reads, w.statusWrites
	for range 5 {
		w.sleep(defaultStatusInterval / 10)
		if _, err := w.pass(); err != nil {
			t.Fatal(err)
		}
	}
	if w.statusWrites != writes {
		t.Fatal("the status is not held back")
	}
	w.settle()
	if got := w.reads - before; got != 1 {
		t.Errorf("%d NodeImages read for one failure", got)
	}
	if got := w.job().Status.FailedImagePullJobStatuses; len(got) != 2 || got[1].Message == "" {
		t.Errorf("failures %+v, want a and b, each with a reason", got)
	}
}

func TestNodeImagesThatCannotBeRead(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b")))
	w.settle()
	w.hooks.get = func(_ client.ObjectKey, obj client.Object) error {
		if _, ok := obj.(*kruisev1alpha1.NodeImage); ok {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "nodeimages"}, "n", errors.New("no permission"))
		}
		return nil
	}
	w.host("a", 1, 0, 1)
	w.host("b", 1, 1, 0)
	w.settle()
	w.wantStatus("1/2 of 2, 0 active: ImagesFailed")
}

func TestOneLine(t *testing.T) {
	for name, tc := range map[string]struct{ message, want string }{
		"plain":                  {"not found", "not found"},
		"lines":                  {"not\n  found\t\x00 here\r\n", "not found here"},
		"login in a URL":         {"get https://user:secret@registry.example/v2/: 401", "get https://***@registry.example/v2/: 401"},
		"token without a user":   {"get https://secret@registry.example/v2/", "get https://***@registry.example/v2/"},
		"a password with an @":   {"get https://user:sec@secret@registry.example/v2/", "get https://***@registry.example/v2/"},
		"signed URL":             {`get "https://cdn.example/blob?X-Amz-Signature=secret&a=b": 403`, `get "https://cdn.example/blob?***": 403`},
		"authorization header":   {"sent Authorization: Bearer c2VjcmV0c2VjcmV0 to it", "sent Authorization: Bearer *** to it"},
		"basic authorization":    {"basic dXNlcjpzZWNyZXQ=", "basic ***"},
		"a word like a header":   {"bearer is what it needs", "bearer is what it needs"},
		"no UTF-8":               {"a\xffb", "a?b"},
		"long":                   {strings.Repeat("ä", 200), strings.Repeat("ä", 42) + "…" + strings.Repeat("ä", 85)},
		"the cause is kept":      {strings.Repeat("x", 200) + ": not found", strings.Repeat("x", 42) + "…" + strings.Repeat("x", 74) + ": not found"},
		"a login at the cut":     {strings.Repeat("x", 35) + " https://user:secret@registry.example " + strings.Repeat("x", 90), strings.Repeat("x", 35) + " https:…" + strings.Repeat("x", 85)},
		"as long as it may be":   {strings.Repeat("x", 128), strings.Repeat("x", 128)},
		"nothing but separators": {" \n ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := oneLine(tc.message)
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxMessage || strings.Contains(got, "secret") {
				t.Errorf("%q does not fit into the status", got)
			}
		})
	}
}
