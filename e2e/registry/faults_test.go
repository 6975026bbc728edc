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
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestSlow(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	path, size := layer(t, "app:1")
	s.behave(t, "app", Behaviour{BytesPerSecond: 4 * size})
	started := time.Now()
	resp := s.get(t, path)
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	first := time.Since(started)
	rest, err := io.ReadAll(resp.Body)
	if err != nil || int64(len(rest)) != size-1 {
		t.Fatalf("%d bytes after the first (%v), want %d", len(rest), err, size-1)
	}
	if whole := time.Since(started); whole < 200*time.Millisecond || first > whole/2 {
		t.Errorf("the first byte came after %s and the last after %s, want them spread over 250 ms", first, whole)
	}
}

func TestSlownessEndsWhenItIsLifted(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	path, size := layer(t, "app:1")
	s.behave(t, "app", Behaviour{BytesPerSecond: 1})
	resp := s.get(t, path)
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	s.behave(t, "app", Behaviour{})
	if rest, err := io.ReadAll(resp.Body); err != nil || int64(len(rest)) != size-1 {
		t.Errorf("%d bytes after the first (%v), want %d", len(rest), err, size-1)
	}
}

func TestDieInLayer(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	path, size := layer(t, "app:1")
	s.behave(t, "app", Behaviour{DieInLayer: 5000})

	resp := s.get(t, path)
	body, err := io.ReadAll(resp.Body)
	if resp.ContentLength != size || len(body) != 5000 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d of %d bytes, then %v; want 5000 of %d and an early end", len(body), resp.ContentLength, err, size)
	}
	resp = s.get(t, path, "Range", "bytes=4000-")
	if body, err = io.ReadAll(resp.Body); len(body) != 1000 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("resumed at 4000: %d bytes, then %v; want 1000 and an early end", len(body), err)
	}
	if resp = s.get(t, "/v2/library/app/manifests/1"); resp.StatusCode != http.StatusOK {
		t.Errorf("manifest: %s", resp.Status)
	}

	s.behave(t, "app", Behaviour{})
	resp = s.get(t, path, "Range", "bytes=5000-")
	if body, err = io.ReadAll(resp.Body); int64(len(body)) != size-5000 || err != nil {
		t.Errorf("resumed after it was lifted: %d bytes, %v; want %d", len(body), err, size-5000)
	}
}

func TestOpenRanges(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	path, size := layer(t, "app:1")
	for header, want := range map[string]struct {
		status int
		rng    string
	}{
		"bytes=7-":                     {http.StatusPartialContent, fmt.Sprintf("bytes 7-%d/%d", size-1, size)},
		"bytes=7-8":                    {http.StatusPartialContent, fmt.Sprintf("bytes 7-8/%d", size)},
		fmt.Sprintf("bytes=%d-", size): {http.StatusRequestedRangeNotSatisfiable, ""},
		"lines=7-":                     {http.StatusRequestedRangeNotSatisfiable, ""},
	} {
		resp := s.get(t, path, "Range", header)
		if resp.StatusCode != want.status || resp.Header.Get("Content-Range") != want.rng {
			t.Errorf("%s: %s, %q; want %d, %q", header, resp.Status, resp.Header.Get("Content-Range"), want.status, want.rng)
		}
	}
}
