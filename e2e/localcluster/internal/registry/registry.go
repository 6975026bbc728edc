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

// Package registry is the image registry of the local cluster. It answers for every registry host: a node's
// containerd is told to ask it whatever the host in an image reference says.
package registry

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// NodeHeader is the request header in which a node's containerd says which node it is.
const NodeHeader = "X-Node-Name"

// Registry serves images from memory.
type Registry struct {
	listener net.Listener
	server   *http.Server
}

// Start serves on a local port; 0 chooses a free one. Requests are recorded in accessLog, a JSON object a line.
func Start(port int, accessLog io.Writer) (*Registry, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("start the registry: %w", err)
	}
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	r := &Registry{
		listener: listener,
		server:   &http.Server{Handler: logAccess(handler, accessLog), ReadHeaderTimeout: 10 * time.Second},
	}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// Addr is the host:port of the registry.
func (r *Registry) Addr() string { return r.listener.Addr().String() }

// Fill generates an image for each reference and stores it. The host of a reference is dropped: the registry
// cannot tell docker.io/a/b from registry.k8s.io/a/b, nor need it.
func (r *Registry) Fill(ctx context.Context, references []string) error {
	for _, reference := range references {
		image, err := GenerateImage(reference)
		if err != nil {
			return err
		}
		ref, err := name.ParseReference(reference)
		if err != nil {
			return err
		}
		target, err := name.NewTag(fmt.Sprintf("%s/%s:%s", r.Addr(), ref.Context().RepositoryStr(), ref.Identifier()), name.Insecure)
		if err != nil {
			return fmt.Errorf("image %q needs a tag: %w", reference, err)
		}
		if err := remote.Write(target, image, remote.WithContext(ctx)); err != nil {
			return fmt.Errorf("store image %q in the registry: %w", reference, err)
		}
	}
	return nil
}

// Stop closes the registry and every connection to it.
func (r *Registry) Stop() error { return r.server.Close() }
