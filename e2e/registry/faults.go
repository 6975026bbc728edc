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
	"errors"
	"fmt"
	"net/http"
	"time"
)

// sendFaulty sends a blob as slowly as the behaviour says, and no more of it.
func sendFaulty(w http.ResponseWriter, req *http.Request, behaviour *activeBehaviour, next http.Handler) {
	faulty := &faultyWriter{ResponseWriter: w, flush: http.NewResponseController(w).Flush, ctx: req.Context(), behaviour: behaviour}
	next.ServeHTTP(faulty, req)
	if faulty.died {
		panic(http.ErrAbortHandler) // closes the connection before the announced length is reached
	}
}

var errDied = errors.New("the connection is to be closed here")

// faultyWriter is a response with the faults of a behaviour, until this is lifted.
type faultyWriter struct {
	http.ResponseWriter
	flush     func() error
	ctx       context.Context
	behaviour *activeBehaviour
	// offset is the place in the blob of the next byte.
	offset int64
	died   bool
}

func (w *faultyWriter) WriteHeader(status int) {
	// A client that resumes asks for the rest.
	_, _ = fmt.Sscanf(w.Header().Get("Content-Range"), "bytes %d-", &w.offset)
	w.ResponseWriter.WriteHeader(status)
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		chunk := w.next(p[written:])
		if len(chunk) == 0 {
			w.died = true
			return written, errors.Join(w.flush(), errDied)
		}
		n, err := w.ResponseWriter.Write(chunk)
		written += n
		w.offset += int64(n)
		if err == nil {
			err = w.pause(n)
		}
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// next returns what of p may be sent at once, nothing if the connection is to be closed.
func (w *faultyWriter) next(p []byte) []byte {
	select {
	case <-w.behaviour.lifted:
		return p
	default:
	}
	size := int64(len(p))
	if rate := w.behaviour.BytesPerSecond; rate > 0 {
		size = min(size, max(1, rate/10))
	}
	if die := w.behaviour.DieInLayer; die > 0 {
		size = min(size, max(0, die-w.offset))
	}
	return p[:size]
}

// pause waits as long as n bytes are to take.
func (w *faultyWriter) pause(n int) error {
	rate := w.behaviour.BytesPerSecond
	if rate == 0 {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	timer := time.NewTimer(time.Duration(n) * time.Second / time.Duration(rate))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.behaviour.lifted:
	case <-w.ctx.Done():
	}
	return w.ctx.Err()
}
