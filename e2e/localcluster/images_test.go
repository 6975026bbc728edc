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

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestImagesAreListedByTagAndElseByDigest(t *testing.T) {
	rows := imageRows("node-1", []*cri.Image{
		{Id: "sha256:0123456789abcdef", RepoTags: []string{"docker.io/library/nginx:latest", "localhost:5000/nginx:1"}, Size: 1_234_567},
		{Id: "sha256:fedcba9876543210", RepoDigests: []string{"docker.io/library/busybox@sha256:77"}, Size: 3000},
	})
	var out strings.Builder
	printImages(&out, rows)
	want := `NODE     IMAGE                       TAG         IMAGE ID        SIZE
node-1   docker.io/library/busybox   sha256:77   fedcba9876543   3kB
node-1   docker.io/library/nginx     latest      0123456789abc   1234kB
node-1   localhost:5000/nginx        1           0123456789abc   1234kB
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
