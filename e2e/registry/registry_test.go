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
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// served is a registry in a test, and a client of it.
type served struct {
	*Client
	*httptest.Server
}

func serve(t *testing.T) served {
	t.Helper()
	server := httptest.NewServer(NewHandler(io.Discard))
	t.Cleanup(server.Close)
	return served{Client: NewClient(server.URL), Server: server}
}

// push stores a small image.
func (s served) push(t *testing.T, image string) {
	t.Helper()
	if _, err := s.Push(t.Context(), image, Layers(1), LayerSize(20_000)); err != nil {
		t.Fatal(err)
	}
}

func (s served) behave(t *testing.T, repository string, behaviour Behaviour) {
	t.Helper()
	if err := s.Behave(t.Context(), repository, behaviour); err != nil {
		t.Fatal(err)
	}
}

// layer is the path of the layer of an image that push made.
func layer(t *testing.T, image string) (path string, size int64) {
	t.Helper()
	layers, err := generate(t, image, Layers(1), LayerSize(20_000)).Layers()
	if err != nil {
		t.Fatal(err)
	}
	digest, err := layers[0].Digest()
	if err != nil {
		t.Fatal(err)
	}
	size, err = layers[0].Size()
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		t.Fatal(err)
	}
	return "/v2/" + ref.Context().RepositoryStr() + "/blobs/" + digest.String(), size
}

// get asks as a node would.
func (s served) get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func pull(url, image string, options ...remote.Option) (v1.Image, error) {
	ref, err := name.ParseReference(url[len("http://"):]+"/"+image, name.Insecure)
	if err != nil {
		return nil, err
	}
	pulled, err := remote.Image(ref, options...)
	if err != nil {
		return nil, err
	}
	return pulled, validate.Image(pulled) // fetches and checks every part
}

func TestRegistryServesWhatItWasFilledWith(t *testing.T) {
	r, err := Start("127.0.0.1:0", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Stop() }()
	if err := r.Fill(t.Context(), []string{"nginx", PauseImage}); err != nil {
		t.Fatal(err)
	}
	for path, reference := range map[string]string{"library/nginx:latest": "nginx", "pause:3.10": PauseImage} {
		pulled, err := pull(r.URL(), path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if digest, err := pulled.Digest(); err != nil || digest.String() != digestOf(t, reference) {
			t.Errorf("%s is %s (%v), want %s", path, digest, err, digestOf(t, reference))
		}
	}
}

func TestRegistryOnEveryAddressIsReachedFromHere(t *testing.T) {
	r, err := Start(":0", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Stop() }()
	if err := r.Fill(t.Context(), []string{PauseImage}); err != nil {
		t.Errorf("%s: %v", r.URL(), err)
	}
}

func TestTagsMove(t *testing.T) {
	s := serve(t)
	for _, content := range []string{"first", "second"} {
		digest, err := s.Push(t.Context(), "private.example.com:5000/team/app:1", Content(content))
		if err != nil {
			t.Fatal(err)
		}
		pulled, err := pull(s.URL, "team/app:1")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pulled.Digest(); err != nil || got.String() != digest {
			t.Errorf("after the %s push: %s (%v), want %s", content, got, err, digest)
		}
	}
}

func TestWhatARequestIsAbout(t *testing.T) {
	for path, want := range map[string]target{
		"/v2/library/nginx/manifests/latest":    {"library/nginx", manifests, "latest"},
		"/v2/a/b/c/blobs/sha256:12":             {"a/b/c", blobs, "sha256:12"},
		"/v2/library/nginx/blobs/uploads/4711":  {repository: "library/nginx"},
		"/v2/library/nginx/blobs/uploads/":      {repository: "library/nginx"},
		"/v2/manifests/blobs/manifests/1":       {"manifests/blobs", manifests, "1"},
		"/v2/":                                  {},
		"/v2/_catalog":                          {},
		"/_control/requests/library/nginx/tags": {},
	} {
		if got := targetOf(path); got != want {
			t.Errorf("%s: got %+v, want %+v", path, got, want)
		}
	}
}
