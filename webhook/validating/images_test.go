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

package validating

import (
	"fmt"
	"strings"
	"testing"
)

func TestValidateImages(t *testing.T) {
	const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	checkRules(t, map[string]rule{
		"references of all kinds": {spec: `{images: [a, "a:1", "a@` + digest + `", "localhost:5000/a", b/c/d]}`},
		"only in an override":     {spec: `{imagePullJobTemplate: [{image: nginx}]}`},
		"overrides of listed images, spelled alike": {
			spec: `{images: [nginx, docker.io/library/httpd], imagePullJobTemplate: [{image: docker.io/library/httpd}, {image: nginx}]}`,
		},
		"case 11: three spellings of one image": {
			spec:     `{images: [nginx, "docker.io/library/nginx:latest", index.docker.io/nginx]}`,
			want:     []string{"spec.images[1] Duplicate", "spec.images[2] Duplicate"},
			wantText: []string{`spec.images[2]: Duplicate value: "index.docker.io/nginx": the same image as "nginx" in spec.images[0]: remove one`},
		},
		"case 11: a tag beside a digest": {
			spec: `{images: ["nginx@` + digest + `", "nginx:1.27@` + digest + `"]}`,
			want: []string{"spec.images[1] Duplicate"},
		},
		"case 11: an override in another spelling": {
			spec:     `{images: [nginx], imagePullJobTemplate: [{image: "nginx:latest"}]}`,
			want:     []string{"spec.imagePullJobTemplate[0].image Duplicate"},
			wantText: []string{`"nginx:latest": the same image as "nginx" in spec.images[0]: spell it as there`},
		},
		"case 11: two overrides for one image, which is not listed": {
			spec:     `{imagePullJobTemplate: [{image: "nginx:latest"}, {image: nginx}]}`,
			want:     []string{"spec.imagePullJobTemplate[1].image Duplicate"},
			wantText: []string{"merge the two overrides"},
		},
		"two overrides for one listed image, all spelled alike": {
			spec: `{images: [nginx], imagePullJobTemplate: [{image: nginx}, {image: nginx}]}`,
			want: []string{"spec.imagePullJobTemplate[1].image Duplicate"},
		},
		"empty entries": {
			spec: `{images: [""], imagePullJobTemplate: [{image: ""}]}`,
			want: []string{"spec.images[0] Required", "spec.imagePullJobTemplate[0].image Required"},
		},
		"no references": {
			spec: `{images: ["https://registry.example/nginx", " nginx", Nginx, "a/B:X", "nginx:", "a b"]}`,
			want: []string{
				"spec.images[0] Invalid", "spec.images[1] Invalid", "spec.images[2] Invalid",
				"spec.images[3] Invalid", "spec.images[4] Invalid", "spec.images[5] Invalid",
			},
			wantText: []string{"remove the scheme", "remove the spaces", "in lower case"},
		},
		"a reference that is too long": {
			spec: `{images: ["` + strings.Repeat("a/", 300) + `b"]}`,
			want: []string{"spec.images[0] Invalid"}, wantText: []string{"at most 512 characters"},
		},
		"as many as may be, after merging": {spec: numbered(200, 55, 0)},
		"overrides of listed images do not count": {
			spec: numbered(255, 255, 255),
		},
		"one too many, after merging": {
			spec: numbered(200, 56, 0), want: []string{"spec.images TooMany"}, wantText: []string{"split the list", "imagePullJobTemplate names count"},
		},
		"one too many in the list":         {spec: numbered(256, 0, 0), want: []string{"spec.images TooMany"}, wantText: []string{"at most 255"}},
		"one too many among the overrides": {spec: numbered(0, 256, 0), want: []string{"spec.imagePullJobTemplate TooMany"}},
	})
}

// numbered is a spec with so many images and overrides, the first of which are for listed images.
func numbered(images, overrides, shared int) string {
	var spec strings.Builder
	spec.WriteString("{images: [")
	for i := range images {
		fmt.Fprintf(&spec, "image-%d, ", i)
	}
	spec.WriteString("], imagePullJobTemplate: [")
	for i := range overrides {
		name := fmt.Sprintf("other-%d", i)
		if i < shared {
			name = fmt.Sprintf("image-%d", i)
		}
		fmt.Fprintf(&spec, "{image: %s}, ", name)
	}
	spec.WriteString("]}")
	return spec.String()
}

func TestValidateImagesKeepsLoginsSecret(t *testing.T) {
	for name, image := range map[string]string{
		"login before the host":           "robot:hunter2@registry.example/nginx",
		"login after a scheme":            "https://robot:hunter2@registry.example/nginx:1",
		"login that holds an @":           "robot:hunter2@x@registry.example/nginx",
		"login in a reference too long":   "robot:hunter2@registry.example/" + strings.Repeat("a", 600),
		"login before a host and no path": "robot:hunter2@registry.example",
	} {
		t.Run(name, func(t *testing.T) {
			errs := Validate(jobOf(t, fmt.Sprintf(`{images: [%q], imagePullJobTemplate: [{image: %q}]}`, image, image)))
			if len(errs) != 2 || strings.Contains(fmt.Sprint(errs), "hunter2") {
				t.Errorf("%v", errs)
			}
		})
	}
}
