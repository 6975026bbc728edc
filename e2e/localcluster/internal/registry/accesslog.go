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
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"
)

// Access is one line of the access log.
type Access struct {
	Time time.Time `json:"time"`
	// Node is empty for requests that no node made.
	Node   string `json:"node,omitempty"`
	Method string `json:"method"`
	// Host is the registry host that the image reference named, when it was asked for by a node.
	Host      string  `json:"host,omitempty"`
	Path      string  `json:"path"`
	Status    int     `json:"status"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`
	UserAgent string  `json:"userAgent,omitempty"`
}

// logAccess writes a line for each request, after it was answered.
func logAccess(next http.Handler, out io.Writer) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		started := time.Now()
		recorder := &responseRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, req)
		line, err := json.Marshal(Access{
			Time:      started.UTC(),
			Node:      req.Header.Get(NodeHeader),
			Method:    req.Method,
			Host:      req.URL.Query().Get("ns"), // containerd says so when it asks a mirror
			Path:      req.URL.Path,
			Status:    recorder.status,
			Bytes:     recorder.bytes,
			Seconds:   time.Since(started).Seconds(),
			UserAgent: req.UserAgent(),
		})
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = out.Write(append(line, '\n')) // a full disk must not fail a pull
	})
}

type responseRecorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *responseRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *responseRecorder) Write(b []byte) (int, error) {
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}
