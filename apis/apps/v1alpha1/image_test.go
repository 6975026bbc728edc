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

package v1alpha1

import "testing"

func TestParseImageKey(t *testing.T) {
	const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, tc := range map[string]struct {
		image, want string
		wantErr     bool
	}{
		"bare name":                  {image: "nginx", want: "nginx:latest"},
		"full spelling":              {image: "docker.io/library/nginx:latest", want: "nginx:latest"},
		"old host of the same hub":   {image: "index.docker.io/nginx", want: "nginx:latest"},
		"organisation":               {image: "openkruise/kruise-manager:v1.8.0", want: "openkruise/kruise-manager:v1.8.0"},
		"host with a port":           {image: "registry.example:5000/a/b", want: "registry.example:5000/a/b:latest"},
		"digest":                     {image: "nginx@" + digest, want: "nginx@" + digest},
		"a tag beside a digest":      {image: "nginx:1.25@" + digest, want: "nginx@" + digest},
		"uppercase":                  {image: "Nginx", wantErr: true},
		"empty":                      {image: "", wantErr: true},
		"space":                      {image: "nginx latest", wantErr: true},
		"scheme":                     {image: "https://registry.example/nginx", wantErr: true},
		"64 hexadecimal digits only": {image: digest[len("sha256:"):], wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := ParseImageKey(tc.image)
			if (err != nil) != tc.wantErr {
				t.Fatalf("error %v, want one: %t", err, tc.wantErr)
			}
			if err == nil && key.String() != tc.want {
				t.Errorf("got %s, want %s", key, tc.want)
			}
		})
	}
}
