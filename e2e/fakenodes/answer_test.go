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

package fakenodes

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

var now = time.Date(2030, 1, 2, 3, 4, 5, 600_000_000, time.UTC)

func ago(d time.Duration) *metav1.Time { return wholeSeconds(now.Add(-d)) }

const (
	pulling   = kruisev1alpha1.ImagePhasePulling
	succeeded = kruisev1alpha1.ImagePhaseSucceeded
	failed    = kruisev1alpha1.ImagePhaseFailed
)

func TestAnswer(t *testing.T) {
	type (
		tagSpec   = kruisev1alpha1.ImageTagSpec
		tagStatus = kruisev1alpha1.ImageTagStatus
	)
	for name, test := range map[string]struct {
		spec     tagSpec
		before   *tagStatus
		outcome  Outcome
		want     *tagStatus // without ImageID
		wantWake time.Duration
	}{
		"what nobody mentioned succeeds at once": {
			spec: tagSpec{Tag: "1"},
			want: &tagStatus{Tag: "1", Phase: succeeded, Progress: 100, StartTime: ago(0), CompletionTime: ago(0)},
		},
		"a pull that takes time is reported as begun": {
			spec: tagSpec{Tag: "1", Version: 3}, outcome: Succeeds(3 * time.Second),
			want:     &tagStatus{Tag: "1", Version: 3, Phase: pulling, StartTime: ago(0)},
			wantWake: 2400 * time.Millisecond, // since the start has lost its 600 ms
		},
		"a pull goes on": {
			spec: tagSpec{Tag: "1"}, outcome: Succeeds(3 * time.Second),
			before:   &tagStatus{Tag: "1", Phase: pulling, StartTime: ago(2 * time.Second)},
			want:     &tagStatus{Tag: "1", Phase: pulling, StartTime: ago(2 * time.Second)},
			wantWake: 400 * time.Millisecond,
		},
		"a pull ends when its time is over": {
			spec: tagSpec{Tag: "1"}, outcome: Succeeds(3 * time.Second),
			before: &tagStatus{Tag: "1", Phase: pulling, StartTime: ago(3 * time.Second)},
			want:   &tagStatus{Tag: "1", Phase: succeeded, Progress: 100, StartTime: ago(3 * time.Second), CompletionTime: ago(0)},
		},
		"a pull fails, and says why": {
			spec: tagSpec{Tag: "1", Version: 1}, outcome: Fails("no space"),
			want: &tagStatus{Tag: "1", Version: 1, Phase: failed, Message: "no space", StartTime: ago(0), CompletionTime: ago(0)},
		},
		"a pull hangs": {
			spec: tagSpec{Tag: "1"}, outcome: Hangs(),
			before: &tagStatus{Tag: "1", Phase: pulling, StartTime: ago(time.Hour)},
			want:   &tagStatus{Tag: "1", Phase: pulling, StartTime: ago(time.Hour)},
		},
		"a node without daemon says nothing": {spec: tagSpec{Tag: "1"}, outcome: Silent()},
		"a node whose daemon went away leaves what it said": {
			spec: tagSpec{Tag: "1"}, outcome: Silent(),
			before: &tagStatus{Tag: "1", Phase: pulling, StartTime: ago(time.Hour)},
			want:   &tagStatus{Tag: "1", Phase: pulling, StartTime: ago(time.Hour)},
		},
		"a pull that is over stays as it ended": {
			spec: tagSpec{Tag: "1", Version: 2}, outcome: Fails("too late"),
			before: &tagStatus{Tag: "1", Version: 2, Phase: succeeded, StartTime: ago(time.Hour), CompletionTime: ago(time.Minute)},
			want:   &tagStatus{Tag: "1", Version: 2, Phase: succeeded, StartTime: ago(time.Hour), CompletionTime: ago(time.Minute)},
		},
		"a new version is pulled again": {
			spec: tagSpec{Tag: "1", Version: 3}, outcome: Hangs(),
			before: &tagStatus{Tag: "1", Version: 2, Phase: succeeded, Progress: 100, StartTime: ago(time.Hour), CompletionTime: ago(time.Minute)},
			want:   &tagStatus{Tag: "1", Version: 3, Phase: pulling, StartTime: ago(0)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := &kruisev1alpha1.NodeImage{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
			node.Spec.Images = map[string]kruisev1alpha1.ImageSpec{"a": {Tags: []tagSpec{test.spec}}}
			if test.before != nil {
				node.Status.ImageStatuses = map[string]kruisev1alpha1.ImageStatus{"a": {Tags: []tagStatus{*test.before}}}
			}
			s := &script{}
			s.set(v1alpha1.ImageKey{Name: "a", Tag: test.spec.Tag}, test.outcome, nil)
			before := node.DeepCopy()

			status, wake := answer(node, s, now)

			var want map[string]kruisev1alpha1.ImageStatus
			if test.want != nil {
				want = map[string]kruisev1alpha1.ImageStatus{"a": {Tags: []tagStatus{*test.want}}}
			}
			if diff := cmp.Diff(want, status.ImageStatuses, cmpopts.IgnoreFields(tagStatus{}, "ImageID")); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if wake != test.wantWake {
				t.Errorf("wakes after %v, want %v", wake, test.wantWake)
			}
			if diff := cmp.Diff(before, node); diff != "" {
				t.Errorf("what was read has changed:\n%s", diff)
			}
		})
	}
}

func TestAnswerCountsAndSorts(t *testing.T) {
	node := &kruisev1alpha1.NodeImage{}
	node.Spec.Images = map[string]kruisev1alpha1.ImageSpec{
		"a":           {Tags: []kruisev1alpha1.ImageTagSpec{{Tag: "2"}, {Tag: "1"}, {Tag: "3"}}},
		"host:5000/b": {Tags: []kruisev1alpha1.ImageTagSpec{{Tag: "sha256:0123"}}},
		"c":           {Tags: []kruisev1alpha1.ImageTagSpec{{Tag: "1"}}},
	}
	node.Status.ImageStatuses = map[string]kruisev1alpha1.ImageStatus{"gone": {Tags: []kruisev1alpha1.ImageTagStatus{{Tag: "1"}}}}
	s := &script{}
	s.set(v1alpha1.ImageKey{Name: "a", Tag: "3"}, Hangs(), nil)
	s.set(v1alpha1.ImageKey{Name: "host:5000/b", Tag: "sha256:0123"}, Fails("no"), nil)
	s.set(v1alpha1.ImageKey{Name: "c", Tag: "1"}, Silent(), nil)

	got, _ := answer(node, s, now)

	want := kruisev1alpha1.NodeImageStatus{
		Desired: 5, Succeeded: 2, Failed: 1, Pulling: 1,
		ImageStatuses: map[string]kruisev1alpha1.ImageStatus{
			"a":           {Tags: []kruisev1alpha1.ImageTagStatus{{Tag: "1"}, {Tag: "2"}, {Tag: "3"}}},
			"host:5000/b": {Tags: []kruisev1alpha1.ImageTagStatus{{Tag: "sha256:0123"}}},
		},
	}
	onlyTag := cmp.Transformer("onlyTag", func(s kruisev1alpha1.ImageTagStatus) string { return s.Tag })
	if diff := cmp.Diff(want, got, onlyTag); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnswerWakesForTheFirst(t *testing.T) {
	node := &kruisev1alpha1.NodeImage{}
	node.Spec.Images = map[string]kruisev1alpha1.ImageSpec{"a": {Tags: []kruisev1alpha1.ImageTagSpec{{Tag: "1"}, {Tag: "2"}, {Tag: "3"}}}}
	s := &script{}
	for tag, after := range map[string]time.Duration{"1": 9 * time.Second, "2": 4 * time.Second, "3": 7 * time.Second} {
		s.set(v1alpha1.ImageKey{Name: "a", Tag: tag}, Succeeds(after), nil)
	}
	if _, wake := answer(node, s, now.Truncate(time.Second)); wake != 4*time.Second {
		t.Errorf("wakes after %v, want 4s", wake)
	}
}
