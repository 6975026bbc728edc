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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

func TestDeadlineForChild(t *testing.T) {
	for name, tc := range map[string]struct {
		job, own *int64
		after    time.Duration
		want     *int64
	}{
		"none":                               {nil, nil, time.Hour, nil},
		"the child's own alone":              {nil, ptr.To[int64](60), time.Hour, ptr.To[int64](60)},
		"all of the job's":                   {ptr.To[int64](60), ptr.To[int64](60), 0, ptr.To[int64](60)},
		"what is left of the job's":          {ptr.To[int64](60), ptr.To[int64](60), 25 * time.Second, ptr.To[int64](35)},
		"its own, less than what is left":    {ptr.To[int64](60), ptr.To[int64](20), 25 * time.Second, ptr.To[int64](20)},
		"less than a second is left":         {ptr.To[int64](60), nil, 59*time.Second + time.Millisecond, ptr.To[int64](0)},
		"less than its own is left by then":  {ptr.To[int64](60), ptr.To[int64](20), 55 * time.Second, ptr.To[int64](5)},
		"started before the job re-opened":   {ptr.To[int64](60), ptr.To[int64](20), -time.Minute, ptr.To[int64](80)},
		"the longest deadline that there is": {ptr.To[int64](1<<31 - 1), nil, 0, ptr.To[int64](1<<31 - 1)},
	} {
		t.Run(name, func(t *testing.T) {
			got := deadline{start: t0, seconds: tc.job}.forChild(tc.own, t0.Add(tc.after))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDeadlineEditIsPatchedIntoARunningChild(t *testing.T) {
	w := newWorld(t, newJob(images("a"), timeout(300)))
	w.settle()
	w.sleep(100 * time.Second)
	w.host("a", 2, 0, 0) // starts at about 100 s
	started := w.child("a").Status.StartTime.Sub(w.job().Status.StartTime.Time)
	w.edit(activeDeadline(300))
	w.settle()
	spec := w.child("a").Spec
	want := 300 - int64(started/time.Second)
	if got := *spec.CompletionPolicy.ActiveDeadlineSeconds; got != want {
		t.Errorf("deadline %d s, want %d: both end at once", got, want)
	}
	if got := int64(*spec.PullPolicy.TimeoutSeconds); got != want {
		t.Errorf("time-out %d s, want %d", got, want)
	}
	w.edit(func(job *v1alpha1.ImageListPullJob) { job.Spec.CompletionPolicy.ActiveDeadlineSeconds = nil })
	w.settle()
	spec = w.child("a").Spec
	if spec.CompletionPolicy.ActiveDeadlineSeconds != nil || *spec.PullPolicy.TimeoutSeconds != 300 {
		t.Errorf("deadline %v and time-out %d s remain", spec.CompletionPolicy.ActiveDeadlineSeconds, *spec.PullPolicy.TimeoutSeconds)
	}
	if w.creates != 1 {
		t.Error("the child was made again")
	}
}

func TestNoChildIsMadeForLessThanASecond(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b"), timeout(10), activeDeadline(60), maxConcurrentImages(1)))
	w.settle()
	w.sleep(60*time.Second - w.clock.Now().Sub(t0) + 1500*time.Millisecond)
	w.host("a", 1, 1, 0)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if got := w.creates; got != 1 {
		t.Errorf("%d children, want 1: nothing is left for the second", got)
	}
	w.settle()
	w.wantStatus("1/1 of 2, 0 active: DeadlineExceeded")
	want := []v1alpha1.FailedImagePullJobStatus{{Image: "b", Message: unfinishedMessage}}
	if diff := cmp.Diff(want, w.job().Status.FailedImagePullJobStatuses); diff != "" {
		t.Error(diff)
	}
}
