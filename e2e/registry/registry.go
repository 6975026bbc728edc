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
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Registry is a registry that listens on a port.
type Registry struct {
	listener net.Listener
	server   *http.Server
}

// Start serves on an address, host:port; the port 0 chooses a free one. Requests are recorded in accessLog, a JSON object a line.
func Start(address string, accessLog io.Writer) (*Registry, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("start the registry: %w", err)
	}
	r := &Registry{
		listener: listener,
		server:   &http.Server{Handler: NewHandler(accessLog), ReadHeaderTimeout: 10 * time.Second},
	}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// Addr is the host:port of the registry.
func (r *Registry) Addr() string { return r.listener.Addr().String() }

// URL is where this machine reaches the registry.
func (r *Registry) URL() string {
	addr, ok := r.listener.Addr().(*net.TCPAddr)
	if ok && addr.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", addr.Port)
	}
	return "http://" + r.Addr()
}

// Fill generates an image for each reference and stores it.
func (r *Registry) Fill(ctx context.Context, references []string) error {
	client := NewClient(r.URL())
	for _, reference := range references {
		if _, err := client.Push(ctx, reference); err != nil {
			return err
		}
	}
	return nil
}

// Stop closes the registry and every connection to it.
func (r *Registry) Stop() error { return r.server.Close() }
