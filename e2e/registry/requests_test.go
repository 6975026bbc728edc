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

package registry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRequestsTellWhoAskedForWhat(t *testing.T) {
	s := serve(t)
	s.push(t, "team/app:1")
	before := time.Now()
	s.get(t, "/v2/team/app/manifests/2?ns=docker.io", NodeHeader, "node-7", "User-Agent", "containerd")
	path, size := layer(t, "team/app:1")
	_, _ = bufio.NewReader(s.get(t, path).Body).WriteTo(bytes.NewBuffer(nil))
	s.get(t, "/v2/team/other/manifests/1")

	var got []Request
	eventually(t, func() bool {
		var err error
		got, err = s.Requests(t.Context(), "team/app")
		return err == nil && len(got) == 2 && got[1].Seconds > 0
	})
	want := []Request{
		{Node: "node-7", Method: http.MethodGet, Host: "docker.io", Repository: "team/app", Path: "/v2/team/app/manifests/2", Status: http.StatusNotFound, UserAgent: "containerd"},
		{Method: http.MethodGet, Repository: "team/app", Path: path, Status: http.StatusOK, Bytes: size, UserAgent: "Go-http-client/1.1"},
	}
	ignored := cmpopts.IgnoreFields(Request{}, "Time", "Seconds")
	bytesOfError := cmpopts.IgnoreFields(Request{}, "Bytes")
	if diff := cmp.Diff(want[:1], got[:1], ignored, bytesOfError); diff != "" {
		t.Errorf("first request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], got[1:], ignored); diff != "" {
		t.Errorf("second request (-want +got):\n%s", diff)
	}
	if got[0].Manifest() != "2" || got[0].Blob() != "" || got[1].Manifest() != "" || "/v2/team/app/blobs/"+got[1].Blob() != path {
		t.Errorf("manifest %q, blob %q, then manifest %q, blob %q", got[0].Manifest(), got[0].Blob(), got[1].Manifest(), got[1].Blob())
	}
	if got[0].Time.Before(before) || got[1].Time.Before(got[0].Time) || got[0].Seconds <= 0 {
		t.Errorf("times: %v, %f s, %v", got[0].Time, got[0].Seconds, got[1].Time)
	}
}

func TestOnlyTheLatestRequestsAreRemembered(t *testing.T) {
	var out bytes.Buffer
	log := newRequestLog(&out)
	handler := log.record(http.NotFoundHandler())
	const surplus = 5
	for i := range keptRequests + surplus {
		req := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/v2/app/manifests/%d", i), nil)
		handler.ServeHTTP(httptest.NewRecorder(), req)
	}
	kept := log.list("app")
	if len(kept) != keptRequests {
		t.Fatalf("%d requests remembered, want %d", len(kept), keptRequests)
	}
	for i, request := range kept {
		if want := fmt.Sprint(i + surplus); request.Manifest() != want {
			t.Fatalf("request %d was for %s, want %s", i, request.Manifest(), want)
		}
	}
	lines := 0
	for scanner := bufio.NewScanner(&out); scanner.Scan(); lines++ {
		var line Request
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil || line.Status != http.StatusNotFound {
			t.Fatalf("access log line %s: %v", scanner.Bytes(), err)
		}
	}
	if lines != keptRequests+surplus {
		t.Errorf("%d lines in the access log, want %d", lines, keptRequests+surplus)
	}
}

// eventually waits until a condition holds that the server fulfils on its own.
func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for tick := time.NewTicker(5 * time.Millisecond); !condition(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("waited in vain")
		}
	}
}
