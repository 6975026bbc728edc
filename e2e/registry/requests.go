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

// keptRequests is how many requests are remembered. The access log has all.
const keptRequests = 20_000

// Request is what somebody asked the registry, and what came of it; also the form of a line of the access log.
type Request struct {
	Time time.Time `json:"time"`
	// Node is empty for requests that no node made.
	Node   string `json:"node,omitempty"`
	Method string `json:"method"`
	// Host is the registry host that the image reference named, when it was asked for by a node.
	Host string `json:"host,omitempty"`
	// Repository is empty for requests that are about none.
	Repository string `json:"repository,omitempty"`
	Path       string `json:"path"`
	// Status is 0 as long as nothing was answered; it stays so if the client gave up before.
	Status int   `json:"status"`
	Bytes  int64 `json:"bytes"`
	// Seconds is how long it took until the last byte was answered, 0 while it is.
	Seconds   float64 `json:"seconds"`
	UserAgent string  `json:"userAgent,omitempty"`
}

// Manifest is the tag or digest of the manifest that was asked for, empty if none was.
func (r Request) Manifest() string { return r.reference(manifests) }

// Blob is the digest of the blob, be it a layer or an image's configuration, that was asked for, empty if none was.
func (r Request) Blob() string { return r.reference(blobs) }

func (r Request) reference(kind string) string {
	if target := targetOf(r.Path); target.kind == kind {
		return target.reference
	}
	return ""
}

// requestLog remembers the latest requests from when they arrive, and writes each out when it was answered.
type requestLog struct {
	mu     sync.Mutex
	latest []*Request // a ring once it is full
	next   int
	out    io.Writer
}

func newRequestLog(out io.Writer) *requestLog { return &requestLog{out: out} }

func (l *requestLog) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		request := &Request{
			Time:       time.Now(),
			Node:       req.Header.Get(NodeHeader),
			Method:     req.Method,
			Host:       req.URL.Query().Get("ns"), // containerd says so when it asks a mirror
			Repository: targetOf(req.URL.Path).repository,
			Path:       req.URL.Path,
			UserAgent:  req.UserAgent(),
		}
		if req.Header.Get(pastBehaviours) == "" {
			l.remember(request)
		}
		recorder := &responseRecorder{ResponseWriter: w}
		defer func() { l.answered(request, recorder) }() // also when the answer is broken off
		next.ServeHTTP(recorder, req)
	})
}

func (l *requestLog) remember(request *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.latest) < keptRequests {
		l.latest = append(l.latest, request)
		return
	}
	l.latest[l.next] = request
	l.next = (l.next + 1) % keptRequests
}

func (l *requestLog) answered(request *Request, recorder *responseRecorder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	request.Status, request.Bytes = recorder.status, recorder.bytes
	request.Seconds = time.Since(request.Time).Seconds()
	line, err := json.Marshal(request)
	if err != nil {
		return
	}
	_, _ = l.out.Write(append(line, '\n')) // a full disk must not fail a pull
}

// list returns the requests for a repository, oldest first.
func (l *requestLog) list(repository string) []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := []Request{}
	for i := range l.latest {
		if request := l.latest[(l.next+i)%len(l.latest)]; request.Repository == repository {
			found = append(found, *request)
		}
	}
	return found
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
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (r *responseRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
