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
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// The cases are faults that people met with list pull jobs. Each is named by its number where it is tested: here, beside what it
// is about (quiet_test.go, the integration tests), or in the tests of admission and schema.

func TestEachCaseIsTested(t *testing.T) {
	const cases = 29
	mention := regexp.MustCompile(`(?:// |")case ([0-9]+)[:,]`)
	tested := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "../webhook/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range mention.FindAllSubmatch(text, -1) {
				tested[string(match[1])] = true
			}
		}
	}
	for n := 1; n <= cases; n++ {
		if !tested[strconv.Itoa(n)] {
			t.Errorf("no test of case %d", n)
		}
	}
}

// case 2: images replaced while others of the job run or have finished.
func TestCase02ImagesReplacedWhileRunning(t *testing.T) {
	for name, tc := range map[string]struct {
		edit jobOption
		// left are the images whose children stay, made those that get one.
		left, made []string
	}{
		"all of them":              {images("c"), nil, []string{"c"}},
		"the finished one":         {images("b", "c"), []string{"b"}, []string{"c"}},
		"the running one":          {images("a", "c"), []string{"a"}, []string{"c"}},
		"by one in an override":    {func(job *v1alpha1.ImageListPullJob) { images()(job); override(v1alpha1.ImageOverride{Image: "c"})(job) }, nil, []string{"c"}},
		"the template of all":      {func(job *v1alpha1.ImageListPullJob) { job.Spec.ImagePullPolicy = v1alpha1.PullAlways }, nil, []string{"a", "b"}},
		"the template of one":      {override(v1alpha1.ImageOverride{Image: "a", ImagePullJobTemplate: v1alpha1.ImagePullJobTemplate{PullSecrets: []string{"s"}}}), []string{"b"}, []string{"a"}},
		"by nothing: one goes":     {images("b"), []string{"b"}, nil},
		"by another tag of a":      {images("a:2", "b"), []string{"b"}, []string{"a:2"}},
		"by another spelling of a": {images("docker.io/library/a", "b"), []string{"a", "b"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("a", "b")))
			w.settle()
			w.host("a", 1, 1, 0)
			w.host("b", 1, 0, 0)
			w.settle()
			before := w.children()
			w.edit(tc.edit)
			w.settle()
			after := w.children()
			all := len(tc.left) + len(tc.made)
			if w.job().Status.CompletionTime != nil || len(after) != all || int(w.job().Status.Desired) != all {
				t.Fatalf("completion %v, %d children, desired %d; want none, and %d of both", w.job().Status.CompletionTime, len(after), w.job().Status.Desired, all)
			}
			for _, image := range tc.left {
				if after[image] == nil || after[image].UID != before[image].UID {
					t.Errorf("the child of %s was replaced", image)
				}
			}
			for _, image := range append(tc.left, tc.made...) {
				if w.child(image).Status.CompletionTime == nil {
					w.wantRunning()
					w.host(image, 1, 1, 0)
					w.settle()
				}
			}
			w.wantStatus(fmt.Sprintf("%d/%d of %d, 0 active: AllImagesPulled", all, all, all))
		})
	}
}

// case 3: an image is appended at the moment when the last child finishes.
func TestCase03ImageAppendedWhenTheLastChildFinishes(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.settle()
	w.host("a", 1, 1, 0)
	w.edit(images("a", "b"))
	w.settle()
	w.wantStatus("1/1 of 2, 0 active: Progressing")
	w.host("b", 1, 1, 0)
	w.settle()
	w.wantStatus("2/2 of 2, 0 active: AllImagesPulled")
}

// case 3: an image is appended at the moment when the last child finishes.
func TestCase03CompletionIsNotWrittenOverAnEdit(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.settle()
	w.host("a", 1, 1, 0)
	w.hooks.statusUpdate = func(client.Object) error {
		w.hooks.statusUpdate = nil
		w.edit(images("a", "b")) // between the read and the write
		return nil
	}
	if _, err := w.pass(); err != nil {
		t.Fatalf("a conflict is no error: %v", err)
	}
	if w.job().Status.CompletionTime != nil {
		t.Fatal("completed over an edit that it had not seen")
	}
	w.settle()
	w.wantStatus("1/1 of 2, 0 active: Progressing")
}

// case 4: the TTL belongs to the list job and not to its children.
func TestCase04TTLIsNotCopiedIntoChildren(t *testing.T) {
	w := newWorld(t, newJob(images("fast", "slow"), ttl(5)))
	w.settle()
	for image, child := range w.children() {
		if got := child.Spec.CompletionPolicy.TTLSecondsAfterFinished; got != nil {
			t.Errorf("child of %s has a TTL of %d s", image, *got)
		}
	}
	w.host("fast", 1, 1, 0)
	w.settle()
	w.edit(ttl(3))
	w.sleep(time.Minute)
	w.settle()
	w.host("slow", 1, 1, 0)
	w.settle()
	w.wantStatus("2/2 of 2, 0 active: AllImagesPulled")
	w.sleep(6 * time.Second)
	w.settle()
	if !w.jobIsGone() {
		t.Error("the list job outlives its TTL")
	}
	if w.creates != 2 || w.patches != 0 {
		t.Errorf("%d children were made and %d patched, want 2 and 0", w.creates, w.patches)
	}
}

// case 6: the job is deleted while it runs, with its children first.
func TestCase06NothingIsCreatedDuringDeletion(t *testing.T) {
	job := newJob(images("a", "b"))
	job.Finalizers = []string{metav1.FinalizerDeleteDependents}
	w := newWorld(t, job)
	w.remove(job)
	w.settle()
	if got := w.writes(); got != 0 {
		t.Errorf("%d writes during the deletion of the job, want 0", got)
	}
}

// case 7: all children are deleted by hand, and the manager is restarted.
func TestCase07ChildrenDeletedByHandAreMadeAgain(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b", "c")))
	w.settle()
	w.host("a", 1, 1, 0)
	w.settle()
	for _, child := range w.children() {
		w.remove(child)
	}
	// A restart: the new process knows nothing.
	restarted := &reconciler{client: w.reconciler.client, live: w.reconciler.live, recorder: w.recorder, clock: w.clock}
	w.reconciler = restarted
	w.settle()
	for _, image := range []string{"a", "b", "c"} {
		w.host(image, 1, 1, 0)
	}
	w.settle()
	w.wantStatus("3/3 of 3, 0 active: AllImagesPulled")
}

// case 8: a create is answered with a time-out though it went through.
func TestCase08CreateThatTimesOutThoughItWentThrough(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.hooks.afterCreate = func(client.Object) error {
		w.hooks.afterCreate = nil
		return apierrors.NewTimeoutError("request timed out", 1)
	}
	w.hooks.hide = func(*kruisev1alpha1.ImagePullJob) bool { return true } // the cache lags behind
	if _, err := w.pass(); err == nil {
		t.Error("the time-out is not reported")
	}
	if _, err := w.pass(); err != nil {
		t.Errorf("second try: %v", err)
	}
	w.hooks.hide = nil
	w.settle()
	if got := w.children(); len(got) != 1 {
		t.Errorf("%d children, want 1", len(got))
	}
	w.host("a", 1, 1, 0)
	w.settle()
	w.wantStatus("1/1 of 1, 0 active: AllImagesPulled")
}

// case 9: parallelism is edited while some images have finished.
func TestCase09ParallelismIsPatchedIntoUnfinishedChildrenOnly(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b", "c"), parallelism(0)))
	w.settle()
	w.wantStatus("0/0 of 3, 0 active: Paused")
	w.host("a", 1, 1, 0)
	w.host("b", 1, 1, 0)
	w.settle()
	before := w.children()
	w.edit(parallelism(4))
	w.settle()
	after := w.children()
	for image, want := range map[string]intstr.IntOrString{"a": intstr.FromInt32(0), "b": intstr.FromInt32(0), "c": intstr.FromInt32(4)} {
		if before[image].UID != after[image].UID {
			t.Errorf("%s was restarted", image)
		}
		if got := after[image].Spec.Parallelism; got == nil || *got != want {
			t.Errorf("parallelism of %s is %v, want %s", image, got, want.String())
		}
	}
	w.wantStatus("2/2 of 3, 0 active: Progressing")
}

// case 10: no node has the name in the selector.
func TestCase10SelectorThatMatchesNoNode(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b"), nodes("typo")))
	w.settle()
	w.host("a", 0, 0, 0)
	w.host("b", 0, 0, 0)
	w.events()
	w.settle()
	w.wantStatus("2/2 of 2, 0 active: NoNodesMatched")
	if got := w.events(); !slices.Equal(got, []string{EventNoNodesMatched}) {
		t.Errorf("events %v, want one NoNodesMatched", got)
	}
	finished := meta.FindStatusCondition(w.job().Status.Conditions, v1alpha1.ConditionFinished)
	if !strings.Contains(finished.Message, "a, b") {
		t.Errorf("message %q does not name the images", finished.Message)
	}
}

// case 13: images or the template are edited after the job has finished.
func TestCase13FinishedJobReopensForAnEdit(t *testing.T) {
	for name, tc := range map[string]struct {
		edit jobOption
		// wantPulled are the images that are pulled for it.
		wantPulled []string
	}{
		"another image":    {images("a", "b", "c"), []string{"c"}},
		"an image fewer":   {images("b"), nil},
		"another selector": {nodes("node-1"), []string{"a", "b"}},
		"an override": {override(v1alpha1.ImageOverride{Image: "b", ImagePullJobTemplate: v1alpha1.ImagePullJobTemplate{
			Selector: &v1alpha1.ImagePullJobNodeSelector{Names: []string{"node-1"}},
		}}), []string{"b"}},
		"type Never": {policy(v1alpha1.Never), []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("a", "b")))
			w.settle()
			w.host("a", 1, 1, 0)
			w.host("b", 1, 1, 0)
			w.settle()
			w.wantStatus("2/2 of 2, 0 active: AllImagesPulled")
			w.sleep(time.Hour)
			before := w.children()
			w.edit(tc.edit)
			creates, writes := w.creates, w.statusWrites
			if _, err := w.pass(); err != nil {
				t.Fatal(err)
			}
			if w.creates != creates || w.statusWrites != writes+1 {
				t.Errorf("%d creates and %d status writes before the job is open again, want 0 and 1", w.creates-creates, w.statusWrites-writes)
			}
			job := w.job()
			if job.Status.CompletionTime != nil || !job.Status.StartTime.Time.Equal(w.clock.Now()) {
				t.Errorf("completionTime %v, startTime %v: not re-opened now", job.Status.CompletionTime, job.Status.StartTime)
			}
			w.settle()
			var pulled []string
			for image, child := range w.children() {
				if before[image] == nil || before[image].UID != child.UID {
					pulled = append(pulled, image)
					w.host(image, 1, 1, 0)
				}
			}
			slices.Sort(pulled)
			if !slices.Equal(pulled, tc.wantPulled) {
				t.Errorf("pulled again: %v, want %v", pulled, tc.wantPulled)
			}
			w.settle()
			n, reason := len(w.children()), v1alpha1.ReasonAllImagesPulled
			if job.Spec.CompletionPolicy.Type == v1alpha1.Never {
				reason = v1alpha1.ReasonNeverFinishes
			}
			w.wantStatus(fmt.Sprintf("%d/%d of %d, 0 active: %s", n, n, n, reason))
			if !slices.Contains(w.events(), EventReopened) {
				t.Error("no event Reopened")
			}
		})
	}
}

// case 14: a child of a finished job is deleted.
func TestCase14ChildOfAFinishedJobIsDeleted(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b")))
	w.settle()
	w.host("a", 1, 1, 0)
	w.host("b", 1, 1, 0)
	w.settle()
	want := w.job().Status
	w.remove(w.child("a"))
	before := w.writes()
	w.settle()
	if w.writes() != before {
		t.Error("something was written")
	}
	w.wantStatus("2/2 of 2, 0 active: AllImagesPulled")
	if got := w.job().Status; got.SpecHash != want.SpecHash || !got.CompletionTime.Equal(want.CompletionTime) {
		t.Error("the status changed")
	}
}

// case 15: a webhook of the cluster mutates the children.
func TestCase15ChildSpecMutatedByAWebhook(t *testing.T) {
	w := newWorld(t, newJob(images("a")))
	w.hooks.create = func(obj client.Object) error {
		child := obj.(*kruisev1alpha1.ImagePullJob)
		child.Spec.Image = "mirror.example/a"
		child.Spec.Selector = &kruisev1alpha1.ImagePullJobNodeSelector{
			LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"pool": "x"}},
		}
		return nil
	}
	w.settle()
	w.host("mirror.example/a", 1, 0, 1)
	w.settle()
	w.wantStatus("0/1 of 1, 0 active: ImagesFailed")
	if w.creates != 1 || w.removes != 0 {
		t.Errorf("%d creates and %d deletes, want 1 and 0", w.creates, w.removes)
	}
	if got := w.job().Status.FailedImagePullJobStatuses[0].Image; got != "a" {
		t.Errorf("failed image is shown as %s, want it as in the spec", got)
	}
}

// kruiseChild is an ImagePullJob as Kruise's own controller makes it.
func kruiseChild(job *v1alpha1.ImageListPullJob, image, suffix string) *kruisev1alpha1.ImagePullJob {
	child := &kruisev1alpha1.ImagePullJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: job.Namespace, Name: job.Name + "-" + suffix, CreationTimestamp: metav1.Time{Time: t0},
		Labels:          map[string]string{appsv1.ControllerRevisionHashLabelKey: "5d8c9"},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, v1alpha1.GroupVersion.WithKind("ImageListPullJob"))},
	}}
	raw, err := json.Marshal(job.Spec.ImagePullJobTemplate)
	if err == nil {
		err = json.Unmarshal(raw, &child.Spec.ImagePullJobTemplate)
	}
	if err != nil {
		panic(err)
	}
	child.Spec.Image = image
	return child
}

// case 16: a running cluster is switched from Kruise's controller to this one.
func TestCase16ChildrenOfKruisesControllerAreAdopted(t *testing.T) {
	job := newJob(images("a", "b"), ttl(60), parallelism(2), nodes("n2", "n1"))
	running, finished := kruiseChild(job, "a", "x1x1x"), kruiseChild(job, "b", "y2y2y")
	progressOf(running, t0, 2, 1, 0)
	progressOf(finished, t0, 2, 2, 0)
	job.Status.StartTime = &metav1.Time{Time: t0}
	w := newWorld(t, job, running, finished)
	w.settle()
	if w.creates != 0 || w.removes != 0 {
		t.Errorf("%d creates and %d deletes, want none: nothing restarts", w.creates, w.removes)
	}
	for image, child := range w.children() {
		if child.Annotations[templateHashAnnotation] == "" {
			t.Errorf("child of %s is not marked as ours", image)
		}
		if child.Spec.CompletionPolicy.TTLSecondsAfterFinished != nil {
			t.Errorf("child of %s keeps its TTL and would vanish before it is counted", image)
		}
		if got := child.Labels[appsv1.ControllerRevisionHashLabelKey]; got != "5d8c9" {
			t.Errorf("label value is now %s: going back would restart the pulls", got)
		}
	}
	w.wantStatus("1/1 of 2, 1 active: Progressing")
}

// case 16: a running cluster is switched from Kruise's controller to this one.
func TestCase16ChildrenForAnotherTemplateAreReplaced(t *testing.T) {
	job := newJob(images("a"))
	child := kruiseChild(job, "a", "x1x1x")
	child.Spec.ImagePullPolicy = kruisev1alpha1.PullAlways
	w := newWorld(t, job, child)
	w.settle()
	if got := w.child("a"); got.Name == child.Name {
		t.Error("a child with another template was adopted")
	}
}

// case 17: the job has the longest name that there is.
func TestCase17LongestJobName(t *testing.T) {
	for name, jobName := range map[string]string{
		"letters":         strings.Repeat("a", 253),
		"dot at the cut":  strings.Repeat("a", 241) + "." + strings.Repeat("b", 11),
		"dash at the cut": strings.Repeat("a", 240) + "--" + strings.Repeat("b", 11),
	} {
		t.Run(name, func(t *testing.T) {
			got := childName(jobName, "uid", v1alpha1.ImageKey{Name: "nginx", Tag: "latest"}, "hash")
			if errs := validateName(got); len(errs) > 0 {
				t.Errorf("%s: %v", got, errs)
			}
		})
	}
}

// case 18: the name of a child is taken by somebody else's object.
func TestCase18NameIsTakenBySomebodyElse(t *testing.T) {
	job := newJob(images("a", "b"))
	wanted, err := wantedImages(job)
	if err != nil {
		t.Fatal(err)
	}
	foreign := &kruisev1alpha1.ImagePullJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: wanted[0].childName},
		Spec:       kruisev1alpha1.ImagePullJobSpec{Image: "somebody-elses"},
	}
	w := newWorld(t, job, foreign)
	result, err := w.pass()
	if err != nil {
		t.Fatal(err)
	}
	if result.RequeueAfter != takenRetry {
		t.Errorf("looks again after %s, want %s", result.RequeueAfter, takenRetry)
	}
	if got := w.child("somebody-elses"); got.ResourceVersion != "999" || len(got.OwnerReferences) > 0 {
		t.Error("the foreign object was touched")
	}
	finished := meta.FindStatusCondition(w.job().Status.Conditions, v1alpha1.ConditionFinished)
	if !strings.Contains(finished.Message, wanted[0].childName) || !strings.Contains(finished.Message, "belongs to somebody else") {
		t.Errorf("message %q does not say what is in the way", finished.Message)
	}
	if got := w.events(); !slices.Contains(got, EventNameTaken) {
		t.Errorf("events %v lack NameTaken", got)
	}
	w.settle()
	w.host("b", 1, 1, 0)
	w.settle()
	w.wantStatus("1/1 of 2, 0 active: Progressing")
	w.remove(foreign)
	w.sleep(takenRetry)
	w.settle()
	w.host("a", 1, 1, 0)
	w.settle()
	w.wantStatus("2/2 of 2, 0 active: AllImagesPulled")
}

// case 19: 255 images fail on 100 nodes.
func TestCase19StatusOfManyFailuresIsBounded(t *testing.T) {
	const longest, usual = 253, 40
	for name, tc := range map[string]struct {
		nameLength, imageLength, nodeLength int
		wantAll                             bool
	}{
		"usual names":             {nameLength: usual, imageLength: 90, nodeLength: usual, wantAll: true},
		"names as long as can be": {nameLength: longest, imageLength: 420, nodeLength: longest},
	} {
		t.Run(name, func(t *testing.T) {
			s := manyFailures(t, tc.nameLength, tc.imageLength, tc.nodeLength)
			p, err := makePlan(s, t0.Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			if got := len(mustJSON(t, p.status)); got >= 120<<10 {
				t.Errorf("status of %d bytes, want less than 120 KiB", got)
			}
			failures := p.status.FailedImagePullJobStatuses
			if tc.wantAll && len(failures) != 255 {
				t.Errorf("%d failed images are listed, want 255", len(failures))
			}
			for i, failure := range failures {
				if failure.Image != s.job.Spec.Images[i] || failure.Failed != 100 {
					t.Fatalf("failure %d is %s on %d nodes, want %s on 100", i, failure.Image, failure.Failed, s.job.Spec.Images[i])
				}
				if len(failure.FailedNodes) > maxFailedNodes || i >= maxDetailedFailures && (failure.FailedNodes != nil || failure.Message != "") {
					t.Errorf("failure %d tells more than it may: %+v", i, failure)
				}
			}
			if p.status.Completed != 255 || p.status.Succeeded != 0 {
				t.Errorf("completed %d, succeeded %d, want 255 and 0", p.status.Completed, p.status.Succeeded)
			}
			slices.Reverse(s.children)
			again, err := makePlan(s, t0.Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			if mustJSON(t, p.status) != mustJSON(t, again.status) {
				t.Error("the status depends on the order of the children")
			}
		})
	}
}

// manyFailures returns a job of 255 images that failed on 100 nodes each, with names of the given lengths.
func manyFailures(t *testing.T, nameLength, imageLength, nodeLength int) *state {
	t.Helper()
	var list []string
	for i := range 255 {
		image := fmt.Sprintf("registry.example/image-%03d", i)
		list = append(list, image+strings.Repeat("p", min(imageLength, 250)-len(image))+":"+strings.Repeat("t", max(imageLength-250, 1)))
	}
	job := newJob(images(list...), func(job *v1alpha1.ImageListPullJob) { job.Name = strings.Repeat("j", nameLength) })
	wanted, err := wantedImages(job)
	if err != nil {
		t.Fatal(err)
	}
	s := &state{job: job, failureReasons: map[string]string{}}
	for i := range wanted {
		child := newChild(job, &wanted[i], deadline{}, t0)
		progressOf(child, t0, 100, 0, 100)
		for n := range child.Status.FailedNodes {
			child.Status.FailedNodes[n] = strings.Repeat("n", nodeLength-3) + fmt.Sprintf("%03d", n)
		}
		if _, err := stripImagePullJob(child); err != nil {
			t.Fatal(err)
		}
		s.failureReasons[child.Name] = strings.Repeat("m", maxMessage)
		s.children = append(s.children, child)
	}
	return s
}

// case 21: an image is removed and added again at once.
func TestCase21ImageRemovedAndAddedAgainAtOnce(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b")))
	w.hooks.create = func(obj client.Object) error {
		obj.SetFinalizers([]string{"apps.kruise.io/fake-protection"})
		return nil
	}
	w.settle()
	w.edit(images("a"))
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.edit(images("a", "b"))
	w.settle()
	old := w.child("b")
	if old.DeletionTimestamp == nil {
		t.Fatal("the child of the removed image is not being deleted")
	}
	old.Finalizers = nil
	w.change(old)
	w.settle()
	if got := w.child("b"); got.UID == old.UID || got.DeletionTimestamp != nil {
		t.Error("no new child for the image that was added again")
	}
}

// case 21: the cache still shows the child that was deleted, finished as it was, when its image is back.
func TestCase21CacheThatLagsBehindADelete(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b")))
	w.settle()
	w.host("a", 1, 0, 0)
	w.host("b", 1, 1, 0)
	w.settle()
	old := w.child("b")
	w.hooks.remove = func(client.Object, *client.DeleteOptions) error { return errServed }
	w.edit(images("a"))
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.hooks.remove = nil
	w.edit(images("a", "b"))
	w.host("a", 1, 1, 0)
	result, err := w.pass()
	if err != nil || result.RequeueAfter == 0 {
		t.Fatalf("got %v and %v, want another look", result, err)
	}
	if w.job().Status.CompletionTime != nil {
		t.Fatal("finished, counting a child that is gone")
	}
	if err := w.Delete(w.ctx(), old); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.host("b", 1, 1, 0)
	w.settle()
	w.wantStatus("2/2 of 2, 0 active: AllImagesPulled")
	if w.child("b").UID == old.UID {
		t.Error("no new child for the image that was added again")
	}
}

// case 22: a job is deleted and another of the same name created at once.
func TestCase22SameNameIsAnotherJob(t *testing.T) {
	job := newJob(images("a"))
	w := newWorld(t, job)
	w.settle()
	old := w.child("a").Name
	w.remove(w.child("a"))
	w.remove(w.job())
	again := newJob(images("a"))
	again.UID = "another-uid"
	if err := w.Create(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if got := w.child("a").Name; got == old {
		t.Errorf("the child of the new job has the name %s of the old one's", got)
	}
}

// case 22, the other half: the delete that is due for the old job does not hit the new one.
func TestCase22DeletionOfTheOldJobSparesTheNew(t *testing.T) {
	w := newWorld(t, newJob(images("a"), ttl(10)))
	w.settle()
	w.host("a", 1, 1, 0)
	w.settle()
	w.sleep(time.Minute)
	old := w.job()
	v1alpha1.SetDefaults(old)
	w.remove(w.job())
	again := newJob(images("a"), ttl(10))
	again.UID = "another-uid"
	if err := w.Create(w.ctx(), again); err != nil {
		t.Fatal(err)
	}
	// The cache still shows the old one.
	if _, err := w.reconciler.expire(w.ctx(), old); err != nil {
		t.Fatal(err)
	}
	if w.jobIsGone() {
		t.Fatal("the new job was deleted for the TTL of the old one")
	}
	w.settle()
	w.wantStatus("0/0 of 1, 0 active: Progressing")
}

// case 24: the leader is killed after half of the children exist.
func TestCase24TwoControllersMakeOneChildAnImage(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b", "c", "d")))
	w.hooks.create = func(client.Object) error {
		if w.made == 2 {
			return errors.New("killed")
		}
		return nil
	}
	if _, err := w.pass(); err == nil {
		t.Fatal("the first controller is not interrupted")
	}
	w.hooks.create = nil
	w.reconciler = &reconciler{client: w.reconciler.client, live: w.reconciler.live, recorder: w.recorder, clock: w.clock}
	w.hooks.hide = func(*kruisev1alpha1.ImagePullJob) bool { return true } // the new leader's cache lags behind
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.hooks.hide = nil
	w.settle()
	if got := len(w.children()); got != 4 {
		t.Errorf("%d children, want 4", got)
	}
}

// case 25: another controller finished the job, and its children have expired.
func TestCase25JobFinishedByAnotherController(t *testing.T) {
	job := newJob(images("a", "b"))
	job.Status = v1alpha1.ImageListPullJobStatus{
		StartTime: &metav1.Time{Time: t0}, CompletionTime: &metav1.Time{Time: t0}, Desired: 2, Completed: 2, Succeeded: 1,
	}
	w := newWorld(t, job)
	w.sleep(time.Hour)
	w.settle()
	if w.creates != 0 {
		t.Errorf("%d creates, want none: nothing is pulled again", w.creates)
	}
	w.wantStatus("1/2 of 2, 0 active: ImagesFailed")
	if w.job().Status.SpecHash == "" {
		t.Error("no specHash: a later edit could not be told")
	}
	w.edit(images("a", "b", "c"))
	w.settle()
	if w.job().Status.CompletionTime != nil {
		t.Error("an edit afterwards does not re-open")
	}
}

// case 26: the TTL of a job that ended at its deadline is edited.
func TestCase26TTLEditedAfterTheDeadline(t *testing.T) {
	w := newWorld(t, newJob(images("a"), timeout(30), activeDeadline(60)))
	w.settle()
	w.host("a", 2, 1, 0)
	w.settle()
	w.sleep(61 * time.Second)
	w.settle()
	w.wantStatus("0/0 of 1, 0 active: DeadlineExceeded")
	w.edit(ttl(100))
	w.settle()
	w.wantStatus("0/0 of 1, 0 active: DeadlineExceeded")
	if got, want := w.job().Status.ObservedGeneration, w.job().Generation; got != want {
		t.Errorf("observedGeneration %d, want %d", got, want)
	}
	w.sleep(101 * time.Second)
	w.settle()
	if !w.jobIsGone() {
		t.Error("the TTL does not apply")
	}
}

// case 27: the first image matches no node, the second is paused, the third waits for a place.
func TestCase27ImageConcurrencyHasNoDeadEnd(t *testing.T) {
	for name, hostFinishes := range map[string]bool{"finished without a node": true, "still waiting for a node": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("no-node", "paused", "normal"), maxConcurrentImages(1), pausedImage("paused")))
			w.settle()
			if _, started := w.children()["normal"]; started {
				t.Fatal("two images in progress, want 1")
			}
			child := w.child("no-node")
			progressOf(child, w.clock.Now(), 0, 0, 0)
			if !hostFinishes {
				child.Status.CompletionTime = nil
			}
			w.status(child)
			w.settle()
			if _, started := w.children()["normal"]; !started {
				t.Error("the third image is not pulled")
			}
		})
	}
}

// case 28: an empty selector means all nodes.
func TestCase28EmptySelectorMeansAllNodes(t *testing.T) {
	w := newWorld(t, newJob(images("a"), func(job *v1alpha1.ImageListPullJob) {
		job.Spec.Selector = &v1alpha1.ImagePullJobNodeSelector{}
	}))
	w.settle()
	if got := w.child("a").Spec.Selector; got != nil {
		t.Errorf("child has selector %+v, want none", got)
	}
}

// case 29: somebody strips the labels from a running child.
func TestCase29LabelsStrippedFromARunningChild(t *testing.T) {
	for name, tc := range map[string]struct {
		strip []string
		// meanwhile is what else happens before the controller sees it.
		meanwhile func(*world)
	}{
		"of one that runs":     {strip: []string{"a"}},
		"of one that finished": {strip: []string{"b"}},
		"of all":               {strip: []string{"a", "b"}},
		"while nothing was watching": {strip: []string{"a", "b"}, meanwhile: func(w *world) {
			w.reconciler = &reconciler{client: w.reconciler.client, live: w.reconciler.live, recorder: w.recorder, clock: w.clock}
		}},
		"while parallelism is edited": {strip: []string{"a"}, meanwhile: func(w *world) { w.edit(parallelism(7)) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(images("a", "b")))
			w.settle()
			w.host("b", 1, 1, 0)
			w.settle()
			before := w.children()
			for _, image := range tc.strip {
				child := w.child(image)
				child.Labels = nil
				w.change(child)
			}
			if tc.meanwhile != nil {
				tc.meanwhile(w)
			}
			w.settle()
			for image, child := range w.children() {
				if child.UID != before[image].UID {
					t.Errorf("%s is pulled twice", image)
				}
				if child.Labels[appsv1.ControllerRevisionHashLabelKey] == "" {
					t.Errorf("the label of the child of %s was not restored", image)
				}
			}
			w.wantRunning()
			w.host("a", 1, 1, 0)
			w.settle()
			w.wantStatus("2/2 of 2, 0 active: AllImagesPulled")
		})
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
