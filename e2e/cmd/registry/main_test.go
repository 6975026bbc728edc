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

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

// start runs the program until the test is over, or end was called, and returns where it listens and what it leaves behind.
func start(t *testing.T, args ...string) (url string, end func() error) {
	t.Helper()
	reader, writer := io.Pipe()
	cmd := command()
	cmd.SetArgs(append([]string{"--listen", "127.0.0.1:0"}, args...))
	cmd.SetOut(writer)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = writer.CloseWithError(io.EOF)
		ended <- err
	}()
	lines := bufio.NewScanner(reader)
	for lines.Scan() {
		if _, addr, ok := strings.Cut(lines.Text(), " images on "); ok {
			url = "http://" + addr
			break
		}
	}
	if url == "" {
		t.Fatalf("it did not start: %v", <-ended)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return url, func() error { cancel(); return <-ended }
}

func TestServesUntilToldToEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.log")
	url, end := start(t, "--image", "team/app:1", "--access-log", file)
	resp, err := http.Get(url + "/v2/team/app/manifests/1")
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
		t.Errorf("the image that was asked for: %s", resp.Status)
	}
	if _, err := registry.NewClient(url).Push(t.Context(), "team/app:2"); err != nil {
		t.Error(err)
	}
	if err := end(); err != nil {
		t.Errorf("told to end, it says %v", err)
	}
	if _, err := http.Get(url + "/v2/"); err == nil {
		t.Error("it still serves after it ended")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found bool
	for line := range strings.Lines(string(content)) {
		var request registry.Request
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatalf("access log line %q: %v", line, err)
		}
		found = found || request.Manifest() == "1" && request.Method == http.MethodGet
	}
	if !found {
		t.Errorf("the access log lacks the request:\n%s", content)
	}
}

func TestAddressThatIsTaken(t *testing.T) {
	url, end := start(t)
	defer func() { _ = end() }()
	cmd := command()
	cmd.SetArgs([]string{"--listen", strings.TrimPrefix(url, "http://")})
	cmd.SetErr(io.Discard)
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "start the registry") {
		t.Errorf("got %v, want an error that says what could not be done", err)
	}
}
