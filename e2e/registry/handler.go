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
	"log"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
)

// NodeHeader is the request header in which a node's containerd says which node it is.
const NodeHeader = "X-Node-Name"

// pastBehaviours is the request header of the suite's own requests.
const pastBehaviours = "X-Past-Behaviours"

// NewHandler returns an empty registry and its control API. Requests are recorded in accessLog, a JSON object a line.
func NewHandler(accessLog io.Writer) http.Handler {
	memory := registry.NewInMemoryBlobHandler()
	store := registry.New(registry.WithBlobHandler(memory), registry.Logger(log.New(io.Discard, "", 0)))
	requests := newRequestLog(accessLog)
	behaviours := newBehaviours()

	mux := http.NewServeMux()
	mux.Handle("PUT "+behavioursPath+"{repository...}", http.HandlerFunc(behaviours.serveSet))
	mux.Handle("GET "+requestsPath+"{repository...}", http.HandlerFunc(requests.serveList))
	mux.Handle("GET "+tokenPath, requests.record(http.HandlerFunc(behaviours.serveToken)))
	mux.Handle("/", requests.record(behaviours.apply(openRanges(store, memory))))
	return mux
}

// What a request of the distribution API can be about.
const (
	manifests = "manifests"
	blobs     = "blobs"
)

// target is what a request of the distribution API is about: /v2/REPOSITORY/KIND/REFERENCE. It is zero for other paths, and for those
// of an upload has no kind.
type target struct{ repository, kind, reference string }

func targetOf(path string) target {
	path, ok := strings.CutPrefix(path, "/v2/")
	if !ok {
		return target{}
	}
	if repository, _, ok := strings.Cut(path, "/blobs/uploads"); ok {
		return target{repository: repository}
	}
	rest, reference, ok := cutLast(path)
	if !ok {
		return target{}
	}
	repository, kind, ok := cutLast(rest)
	if !ok {
		return target{}
	}
	return target{repository: repository, kind: kind, reference: reference}
}

func cutLast(path string) (before, after string, found bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return path, "", false
	}
	return path[:i], path[i+1:], true
}
