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
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// conditionsOf returns the conditions in short, such as "Finished=False/Progressing".
func conditionsOf(job *v1alpha1.ImageListPullJob) []string {
	var short []string
	for _, c := range job.Status.Conditions {
		short = append(short, c.Type+"="+string(c.Status)+"/"+c.Reason)
	}
	return short
}

func messageOf(job *v1alpha1.ImageListPullJob) string {
	return meta.FindStatusCondition(job.Status.Conditions, v1alpha1.ConditionFinished).Message
}

func TestConditions(t *testing.T) {
	for name, tc := range map[string]struct {
		job         []jobOption
		host        func(*world)
		want        []string
		wantMessage string
	}{
		"running": {
			host:        func(w *world) { w.host("a", 2, 1, 0) },
			want:        []string{"Finished=False/Progressing", "Complete=False/Progressing", "Failed=False/Progressing", "Reconciling=True/Progressing"},
			wantMessage: "0 of 3 images pulled",
		},
		"running with a failure": {
			host: func(w *world) {
				w.host("a", 2, 0, 2)
				w.host("b", 2, 2, 0)
			},
			want:        []string{"Finished=False/Progressing", "Complete=False/Progressing", "Failed=False/Progressing", "Reconciling=True/Progressing"},
			wantMessage: "1 of 3 images pulled; a failed on 2 nodes: see kubectl get nodeimage node-a -o yaml",
		},
		"paused": {
			job:         []jobOption{parallelism(0)},
			want:        []string{"Finished=False/Paused", "Complete=False/Paused", "Failed=False/Paused", "Reconciling=True/Paused"},
			wantMessage: "0 of 3 images pulled; paused, since parallelism is 0",
		},
		"all pulled": {
			host:        func(w *world) { w.host("a", 1, 1, 0); w.host("b", 1, 1, 0); w.host("c", 1, 1, 0) },
			want:        []string{"Finished=True/AllImagesPulled", "Complete=True/AllImagesPulled", "Failed=False/AllImagesPulled"},
			wantMessage: "3 of 3 images pulled",
		},
		"some matched no node": {
			host:        func(w *world) { w.host("a", 1, 1, 0); w.host("b", 0, 0, 0); w.host("c", 1, 1, 0) },
			want:        []string{"Finished=True/NoNodesMatched", "Complete=True/NoNodesMatched", "Failed=False/NoNodesMatched"},
			wantMessage: "3 of 3 images pulled; no node matches the selector of b",
		},
		"some failed": {
			host: func(w *world) { w.host("a", 1, 1, 0); w.host("b", 3, 2, 1); w.host("c", 1, 1, 0) },
			want: []string{"Finished=True/ImagesFailed", "Complete=False/ImagesFailed", "Failed=True/ImagesFailed",
				"Stalled=True/ImagesFailed"},
			wantMessage: "2 of 3 images pulled; b failed on 1 node: see kubectl get nodeimage node-a -o yaml",
		},
		"deadline passed": {
			job: []jobOption{timeout(10), activeDeadline(60)},
			host: func(w *world) {
				w.host("a", 1, 1, 0)
				w.host("b", 3, 1, 1)
				w.settle()
				w.sleep(time.Minute)
			},
			want: []string{"Finished=True/DeadlineExceeded", "Complete=False/DeadlineExceeded", "Failed=True/DeadlineExceeded",
				"Stalled=True/DeadlineExceeded"},
			wantMessage: "activeDeadlineSeconds passed: 1 of 3 images pulled; b failed on 2 nodes: see kubectl get nodeimage node-a -o yaml; " +
				"c failed: not finished when activeDeadlineSeconds passed",
		},
		"ended by the deadline of a child": {
			job: []jobOption{timeout(10), activeDeadline(60)},
			host: func(w *world) {
				w.host("a", 1, 1, 0)
				w.host("b", 1, 1, 0)
				c := w.child("c")
				progressOf(c, w.clock.Now(), 2, 1, 1)
				c.Status.Message = "job exceeds activeDeadlineSeconds"
				w.status(c)
			},
			want: []string{"Finished=True/DeadlineExceeded", "Complete=False/DeadlineExceeded", "Failed=True/DeadlineExceeded",
				"Stalled=True/DeadlineExceeded"},
			wantMessage: "activeDeadlineSeconds passed: 2 of 3 images pulled; c failed on 1 node: job exceeds activeDeadlineSeconds",
		},
		"ended by the deadline of a child, a node of which has not reported": {
			job: []jobOption{timeout(10), activeDeadline(60)},
			host: func(w *world) {
				w.host("a", 1, 1, 0)
				w.host("b", 1, 1, 0)
				c := w.child("c")
				progressOf(c, w.clock.Now(), 2, 1, 1)
				c.Status.Failed, c.Status.FailedNodes = 0, nil
				c.Status.Message = "job exceeds activeDeadlineSeconds"
				w.status(c)
			},
			want: []string{"Finished=True/DeadlineExceeded", "Complete=False/DeadlineExceeded", "Failed=True/DeadlineExceeded",
				"Stalled=True/DeadlineExceeded"},
			wantMessage: "activeDeadlineSeconds passed: 2 of 3 images pulled; c failed on 1 node: job exceeds activeDeadlineSeconds",
		},
		"never, under way": {
			job:         []jobOption{policy(v1alpha1.Never)},
			host:        func(w *world) { w.host("a", 1, 1, 0) },
			want:        []string{"Finished=False/NeverFinishes", "Complete=False/NeverFinishes", "Failed=False/NeverFinishes", "Reconciling=True/NeverFinishes"},
			wantMessage: "1 of 3 images pulled",
		},
		"never, settled with a failure": {
			job:         []jobOption{policy(v1alpha1.Never)},
			host:        func(w *world) { w.host("a", 1, 1, 0); w.host("b", 2, 1, 1); w.host("c", 0, 0, 0) },
			want:        []string{"Finished=False/NeverFinishes", "Complete=False/NeverFinishes", "Failed=False/NeverFinishes"},
			wantMessage: "ImagesFailed: 1 of 3 images pulled; b failed on 1 node: see kubectl get nodeimage node-a -o yaml; no node matches the selector of c",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newJob(append([]jobOption{images("a", "b", "c")}, tc.job...)...))
			w.settle()
			if tc.host != nil {
				tc.host(w)
			}
			w.settle()
			job := w.job()
			if diff := cmp.Diff(tc.want, conditionsOf(job)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.wantMessage, messageOf(job)); diff != "" {
				t.Error(diff)
			}
			for _, c := range job.Status.Conditions {
				if c.ObservedGeneration != job.Generation {
					t.Errorf("observedGeneration of %s is %d, want %d", c.Type, c.ObservedGeneration, job.Generation)
				}
			}
		})
	}
}

func TestTransitionTimesAreKept(t *testing.T) {
	w := newWorld(t, newJob(images("a", "b")))
	w.settle()
	since := meta.FindStatusCondition(w.job().Status.Conditions, v1alpha1.ConditionFinished).LastTransitionTime
	w.sleep(time.Hour)
	w.host("a", 1, 1, 0)
	w.settle()
	if got := meta.FindStatusCondition(w.job().Status.Conditions, v1alpha1.ConditionFinished).LastTransitionTime; !got.Equal(&since) {
		t.Errorf("the time of the transition moved to %s without one", got)
	}
	w.host("b", 1, 1, 0)
	w.settle()
	finished := meta.FindStatusCondition(w.job().Status.Conditions, v1alpha1.ConditionFinished)
	if finished.Status != metav1.ConditionTrue || finished.LastTransitionTime.Equal(&since) {
		t.Errorf("no transition: %+v", finished)
	}
}

func TestMessagesNameThreeAtMost(t *testing.T) {
	list := []string{"a", "b", "c", "d", "e"}
	w := newWorld(t, newJob(images(list...)))
	w.settle()
	for _, image := range list {
		w.host(image, 0, 0, 0)
	}
	w.settle()
	if got, want := messageOf(w.job()), "5 of 5 images pulled; no node matches the selector of a, b, c and 2 more images"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}

	w = newWorld(t, newJob(images(list...)))
	w.settle()
	for _, image := range list {
		w.host(image, 1, 0, 1)
	}
	w.settle()
	why := "failed on 1 node: see kubectl get nodeimage node-a -o yaml; "
	if got, want := messageOf(w.job()), "0 of 5 images pulled; a "+why+"b "+why+"c "+why+"2 more images failed too"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}
