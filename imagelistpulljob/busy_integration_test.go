//go:build integration

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

package imagelistpulljob_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// statusWrites counts what a controller asks of the status of list jobs, on the wire.
type statusWrites struct {
	next              http.RoundTripper
	all, inConflict   atomic.Int64
	otherThanPutOrGet atomic.Int64
}

func (s *statusWrites) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(req)
	if !strings.Contains(req.URL.Path, "/imagelistpulljobs/") {
		return resp, err
	}
	switch {
	case req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, "/status"):
		s.all.Add(1)
		if err == nil && resp.StatusCode == http.StatusConflict {
			s.inConflict.Add(1)
		}
	case req.Method != http.MethodGet:
		s.otherThanPutOrGet.Add(1)
	}
	return resp, err
}

// case 20: two images on one node, twenty lists at once: a handful of status writes for each job, and no conflict.
func TestManyListsOfFewImages(t *testing.T) {
	const jobs, handful = 20, 5 // for 2 images: the start, each begins, the first is done, both are
	writes := &statusWrites{}
	counted := rest.CopyConfig(admin)
	counted.Wrap(func(next http.RoundTripper) http.RoundTripper {
		writes.next = next
		return writes
	})
	startController(t, counted)
	c := newCluster(t)
	for i := range jobs {
		job := c.newJob("nginx", "busybox:1.35")
		job.Name = fmt.Sprint("job-", i)
		c.create(job)
	}
	c.eventually("all jobs finish", func() bool {
		c.advance()
		list := &v1alpha1.ImageListPullJobList{}
		if err := c.List(context.Background(), list); err != nil {
			t.Fatal(err)
		}
		finished := 0
		for i := range list.Items {
			if item := &list.Items[i]; item.Namespace == c.namespace && meta.IsStatusConditionTrue(item.Status.Conditions, v1alpha1.ConditionComplete) {
				finished++
			}
		}
		return finished == jobs
	})
	if got := writes.all.Load(); got > jobs*handful {
		t.Errorf("%d status writes for %d jobs, want at most %d for each", got, jobs, handful)
	}
	if got := writes.inConflict.Load(); got > 0 {
		t.Errorf("%d of %d status writes met a conflict", got, writes.all.Load())
	}
	if got := writes.otherThanPutOrGet.Load(); got > 0 {
		t.Errorf("%d writes of the jobs besides their status", got)
	}
	t.Logf("%d status writes for %d jobs", writes.all.Load(), jobs)
}

// advance lets the host go on with one pull, on one node, of each child: it waits, is pulled, and is reported on again and again
// before it is done, as Kruise does whenever anything happens to an image of the same repository.
func (c *cluster) advance() {
	c.Helper()
	const reports = 10
	for _, child := range c.children() {
		now := metav1.NewTime(time.Now())
		s := &child.Status
		var done int
		switch {
		case s.CompletionTime != nil:
			continue
		case s.StartTime == nil:
			*s = kruisev1alpha1.ImagePullJobStatus{StartTime: &now, Desired: 1}
		case s.Active == 0:
			s.Active = 1
		default:
			if _, err := fmt.Sscanf(s.Message, "report %d", &done); err != nil {
				done = 0
			}
			if s.Message = fmt.Sprint("report ", done+1); done == reports {
				s.Active, s.Succeeded, s.CompletionTime = 0, 1, &now
			}
		}
		if err := c.Status().Update(context.Background(), &child); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			c.Fatal(err)
		}
	}
}
