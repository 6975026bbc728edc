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
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestStatusIsAnsweredAsTheSpecificationSays(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	path, _ := layer(t, "app:1")
	for name, want := range map[string]struct {
		path   string
		status int
		code   string
	}{
		"no password":  {"/v2/library/app/manifests/1", http.StatusUnauthorized, "UNAUTHORIZED"},
		"forbidden":    {"/v2/library/app/manifests/1", http.StatusForbidden, "DENIED"},
		"no manifest":  {"/v2/library/app/manifests/1", http.StatusNotFound, "MANIFEST_UNKNOWN"},
		"no blob":      {path, http.StatusNotFound, "BLOB_UNKNOWN"},
		"too many":     {"/v2/library/app/manifests/1", http.StatusTooManyRequests, "TOOMANYREQUESTS"},
		"broken":       {path, http.StatusInternalServerError, "UNKNOWN"},
		"out of order": {path, http.StatusServiceUnavailable, "UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			s.behave(t, "app", Behaviour{Status: want.status})
			resp := s.get(t, want.path)
			var body struct {
				Errors []struct{ Code, Message string }
			}
			if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != want.status || len(body.Errors) != 1 || body.Errors[0].Code != want.code || body.Errors[0].Message == "" {
				t.Errorf("answered %d %+v, want %d %s", resp.StatusCode, body, want.status, want.code)
			}
		})
	}
	s.behave(t, "app", Behaviour{})
	if _, err := pull(s.URL, "library/app:1"); err != nil {
		t.Errorf("after the behaviour was lifted: %v", err)
	}
}

func TestBehaviourConcernsOneRepositoryAndNoPush(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	s.push(t, "other:1")
	for name, behaviour := range map[string]Behaviour{
		"hang": {Hang: true}, "status": {Status: 500}, "slow": {BytesPerSecond: 1}, "die": {DieInLayer: 1},
		"password": {Username: "u", Password: "p"}, "token": {Username: "u", Password: "p", Tokens: true},
	} {
		t.Run(name, func(t *testing.T) {
			s.behave(t, "app", behaviour)
			s.push(t, "app:1") // also asks for what is there already
			if _, err := pull(s.URL, "library/other:1"); err != nil {
				t.Errorf("another repository: %v", err)
			}
		})
	}
}

func TestHangUntilLifted(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	s.behave(t, "app", Behaviour{Hang: true})
	status := make(chan int, 1)
	go func() {
		defer close(status)
		if resp, err := http.Get(s.URL + "/v2/library/app/manifests/1"); err == nil {
			_ = resp.Body.Close()
			status <- resp.StatusCode
		}
	}()
	eventually(t, func() bool { return len(s.requests(t, "app")) == 1 })
	if got := s.requests(t, "app")[0]; got.Status != 0 || got.Seconds != 0 {
		t.Errorf("a hanging request is logged as %+v", got)
	}

	s.behave(t, "app", Behaviour{Hang: true, Username: "u", Password: "p"}) // still hangs
	s.behave(t, "app", Behaviour{Status: http.StatusTeapot})
	if got := <-status; got != http.StatusTeapot {
		t.Errorf("answered %d, want what the new behaviour says", got)
	}
}

func TestHangUntilTheClientGivesUp(t *testing.T) {
	s := serve(t)
	s.behave(t, "app", Behaviour{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/v2/library/app/manifests/1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, %v, want no answer", resp, err)
	}
	eventually(t, func() bool { return s.requests(t, "app")[0].Seconds > 0 })
	if got := s.requests(t, "app")[0]; got.Status != 0 {
		t.Errorf("logged as %+v, want status 0", got)
	}
}

func TestBehavioursThatMakeNoSenseAreRefused(t *testing.T) {
	s := serve(t)
	for want, behaviour := range map[string]Behaviour{
		"status 99":          {Status: 99},
		"bytesPerSecond -1":  {BytesPerSecond: -1},
		"dieInLayer -1":      {DieInLayer: -1},
		"one is empty":       {Username: "u"},
		"tokens: there is n": {Tokens: true},
	} {
		if err := s.Behave(t.Context(), "app", behaviour); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want an error about %s", behaviour, err, want)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL+behavioursPath+"library/app", strings.NewReader(`{"hangs": true}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown field is answered with %s", resp.Status)
	}
}

func (s served) requests(t *testing.T, repository string) []Request {
	t.Helper()
	requests, err := s.Requests(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	return requests
}
