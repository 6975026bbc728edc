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

package proc

import (
	"runtime"
	"sync"
)

// The kernel sends the parent-death signal when the *thread* that forked ends, not the process. So everything is
// started from one goroutine that keeps one thread for as long as this program lives.
var (
	spawnOnce sync.Once
	spawnWork chan func()
)

// onSpawnThread runs f on the thread that owns all children, and waits for it.
func onSpawnThread(f func()) {
	spawnOnce.Do(func() {
		spawnWork = make(chan func())
		go func() {
			runtime.LockOSThread()
			for f := range spawnWork {
				f()
			}
		}()
	})
	done := make(chan struct{})
	spawnWork <- func() { defer close(done); f() }
	<-done
}
