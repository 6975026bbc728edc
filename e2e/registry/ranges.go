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
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// openRanges gives ranges without an end, as containerd sends when it resumes a layer, the end that the store wants.
func openRanges(next http.Handler, store registry.BlobHandler) http.Handler {
	stat, ok := store.(registry.BlobStatHandler)
	if !ok {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		target := targetOf(req.URL.Path)
		from, open := openRange(req.Header.Get("Range"))
		digest, err := v1.NewHash(target.reference)
		if open && target.kind == blobs && err == nil {
			if size, err := stat.Stat(req.Context(), target.repository, digest); err == nil && from < size {
				req = req.Clone(req.Context())
				req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, size-1))
			}
		}
		next.ServeHTTP(w, req)
	})
}

func openRange(header string) (from int64, open bool) {
	header, isBytes := strings.CutPrefix(header, "bytes=")
	header, isOpen := strings.CutSuffix(header, "-")
	from, err := strconv.ParseInt(header, 10, 64)
	return from, isBytes && isOpen && err == nil && from >= 0
}
