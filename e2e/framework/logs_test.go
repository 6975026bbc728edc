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

package framework

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTelling(t *testing.T) {
	const log = `I1207 11:00:00.0 1 x.go:1] Pulling e2e-abc/a:1
I1207 11:00:00.0 1 x.go:1] Pulling somebody/else:1
E1207 11:00:01.0 1 x.go:2] no space left
{"level":"error","msg":"conflict"}
panic: nil map

goroutine 1 [running]:
main.main()
`
	const want = `I1207 11:00:00.0 1 x.go:1] Pulling e2e-abc/a:1
E1207 11:00:01.0 1 x.go:2] no space left
{"level":"error","msg":"conflict"}
panic: nil map

goroutine 1 [running]:
main.main()`
	if diff := cmp.Diff(want, telling(log, []string{"e2e-abc"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
