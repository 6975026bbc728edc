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
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func TestGeneratedImageIsTheSameEachTimeAndNoOther(t *testing.T) {
	digests := map[string]string{}
	for _, reference := range DefaultImages {
		var first string
		for range 2 {
			image, err := GenerateImage(reference)
			if err != nil {
				t.Fatal(err)
			}
			digest, err := image.Digest()
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = digest.String()
			}
			if digest.String() != first {
				t.Errorf("%s was generated as %s and as %s", reference, first, digest)
			}
		}
		if other, taken := digests[first]; taken {
			t.Errorf("%s and %s are the same image", reference, other)
		}
		digests[first] = reference
	}
}

func TestGeneratedImageIsComplete(t *testing.T) {
	image, err := GenerateImage("nginx")
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.OS != "linux" || config.Architecture != runtime.GOARCH {
		t.Errorf("platform %s/%s, want linux/%s", config.OS, config.Architecture, runtime.GOARCH)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) < 2 {
		t.Fatalf("%d layers (%v), want at least 2", len(layers), err)
	}
	for _, layer := range layers {
		if size, err := layer.Size(); err != nil || size < 64<<10 {
			t.Errorf("layer of %d bytes (%v), want at least 64 KiB", size, err)
		}
	}
}

func TestRegistryServesWhatItWasFilledWithAndSaysWhoAsked(t *testing.T) {
	var log syncBuffer
	r, err := Start(0, &log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Stop() }()
	if err := r.Fill(t.Context(), []string{"nginx", PauseImage}); err != nil {
		t.Fatal(err)
	}

	for path, reference := range map[string]string{"library/nginx:latest": "nginx", "pause:3.10": PauseImage} {
		ref, err := name.ParseReference(r.Addr()+"/"+path, name.Insecure)
		if err != nil {
			t.Fatal(err)
		}
		served, err := remote.Get(ref)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		want, err := GenerateImage(reference)
		if err != nil {
			t.Fatal(err)
		}
		image, err := served.Image()
		if err == nil {
			err = validate.Image(image) // fetches and checks every part
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if digest, _ := want.Digest(); served.Digest != digest {
			t.Errorf("%s is %s, want %s", path, served.Digest, digest)
		}
	}

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.Addr()+"/v2/library/gone/manifests/1?ns=docker.io", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(NodeHeader, "node-7")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	last := log.lastAccess(t)
	if last.Node != "node-7" || last.Host != "docker.io" || last.Path != "/v2/library/gone/manifests/1" || last.Status != http.StatusNotFound {
		t.Errorf("access log says %+v", last)
	}
}

// syncBuffer is read while the server may still write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) lastAccess(t *testing.T) (last Access) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for lines := bufio.NewScanner(&s.b); lines.Scan(); {
		last = Access{}
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatalf("access log line %q: %v", lines.Text(), err)
		}
	}
	return last
}
