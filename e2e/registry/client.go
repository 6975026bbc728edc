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
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Client is a registry as the suite uses it. Images and repositories are named as jobs name them; the registry host in a name is dropped,
// because the registry answers for each: it cannot tell docker.io/a/b from private.example.com/a/b.
type Client struct {
	url  string
	http *http.Client
}

// NewClient returns a client for the registry at a URL, http://host:port.
func NewClient(url string) *Client {
	return &Client{
		url:  strings.TrimSuffix(url, "/"),
		http: &http.Client{Transport: past{http.DefaultTransport}},
	}
}

// past marks requests as the suite's own.
type past struct{ http.RoundTripper }

func (t past) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set(pastBehaviours, "true")
	return t.RoundTripper.RoundTrip(req)
}

// Push generates an image, see GenerateImage, and stores it under its name, whatever was there before and however the repository
// behaves. It returns the digest of the manifest, sha256:….
func (c *Client) Push(ctx context.Context, image string, options ...ImageOption) (digest string, err error) {
	generated, err := GenerateImage(image, options...)
	if err != nil {
		return "", err
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		return "", err
	}
	// Loopback or not: the registry speaks no TLS.
	target, err := name.NewTag(fmt.Sprintf("%s/%s:%s", c.host(), ref.Context().RepositoryStr(), ref.Identifier()), name.Insecure)
	if err != nil {
		return "", fmt.Errorf("image %q needs a tag: %w", image, err)
	}
	if err := remote.Write(target, generated, remote.WithContext(ctx), remote.WithTransport(c.http.Transport)); err != nil {
		return "", fmt.Errorf("store image %q in the registry: %w", image, err)
	}
	hash, err := generated.Digest()
	return hash.String(), err
}

func (c *Client) host() string { return strings.TrimPrefix(c.url, "http://") }

// Behave sets how the registry treats those who read from a repository; the zero Behaviour is the usual one.
func (c *Client) Behave(ctx context.Context, repository string, behaviour Behaviour) error {
	body, err := json.Marshal(behaviour)
	if err != nil {
		return err
	}
	return c.control(ctx, http.MethodPut, behavioursPath, repository, bytes.NewReader(body), nil)
}

// Requests returns what was asked for in a repository, oldest first: also what is not answered yet, but nothing that this client did.
func (c *Client) Requests(ctx context.Context, repository string) ([]Request, error) {
	var requests []Request
	err := c.control(ctx, http.MethodGet, requestsPath, repository, nil, &requests)
	return requests, err
}

// control calls the control API.
func (c *Client) control(ctx context.Context, method, path, repository string, body io.Reader, answer any) error {
	ref, err := name.ParseReference(repository)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path+ref.Context().RepositoryStr(), body)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= http.StatusBadRequest {
		reason, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("%s %s: %s: %s", method, req.URL, resp.Status, bytes.TrimSpace(reason))
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}
