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

package imagelistpulljob

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// syncProbe bounds how long a readiness check waits for the answer of a cache that has not been filled.
const syncProbe = 100 * time.Millisecond

// readiness is what the check and the controller share: the check is registered before the controller exists.
type readiness struct {
	mu     sync.Mutex
	synced func(context.Context) bool
}

// when makes the check pass once synced reports true.
func (r *readiness) when(synced func(context.Context) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.synced = synced
}

// never makes the check pass: there is nothing to wait for.
func (r *readiness) never() {
	r.when(func(context.Context) bool { return true })
}

func (r *readiness) check(req *http.Request) error {
	r.mu.Lock()
	synced := r.synced
	r.mu.Unlock()
	if synced == nil {
		return errors.New("the ImageListPullJob controller has not been added yet")
	}
	ctx, cancel := context.WithTimeout(req.Context(), syncProbe)
	defer cancel()
	if !synced(ctx) {
		return errors.New("the cache of the ImageListPullJob controller is not filled yet")
	}
	return nil
}
