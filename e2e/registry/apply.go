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
	"fmt"
	"net/http"
)

// apply treats readers as the behaviour of their repository says.
func (b *behaviours) apply(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !subject(req) {
			next.ServeHTTP(w, req)
			return
		}
		target := targetOf(req.URL.Path)
		behaviour, err := b.await(req.Context(), target.repository)
		switch {
		case err != nil: // the client is gone
			panic(http.ErrAbortHandler)
		case behaviour == nil:
			next.ServeHTTP(w, req)
		case behaviour.Password != "" && !b.authorized(req, target.repository, behaviour.Behaviour):
			challenge(w, req, target, behaviour.Tokens)
		case behaviour.Status == http.StatusUnauthorized:
			challenge(w, req, target, false)
		case behaviour.Status != 0:
			writeError(w, behaviour.Status, target)
		case target.kind == blobs && req.Method == http.MethodGet:
			sendFaulty(w, req, behaviour, next)
		default:
			next.ServeHTTP(w, req)
		}
	})
}

// subject says whether behaviours hold for a request: those who read, unless they ask to be let past.
func subject(req *http.Request) bool {
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	return reads && req.Header.Get(pastBehaviours) == ""
}

// writeError answers with an error as the distribution specification describes it.
func writeError(w http.ResponseWriter, status int, target target) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []map[string]string{{
		"code":    errorCode(status, target.kind),
		"message": fmt.Sprintf("the registry was told to answer %d for %s", status, target.repository),
	}}})
}

func errorCode(status int, kind string) string {
	switch {
	case status == http.StatusUnauthorized:
		return "UNAUTHORIZED"
	case status == http.StatusForbidden:
		return "DENIED"
	case status == http.StatusNotFound && kind == blobs:
		return "BLOB_UNKNOWN"
	case status == http.StatusNotFound:
		return "MANIFEST_UNKNOWN"
	case status == http.StatusTooManyRequests:
		return "TOOMANYREQUESTS"
	default:
		return "UNKNOWN"
	}
}
