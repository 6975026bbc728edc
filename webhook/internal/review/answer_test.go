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

package review

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	for name, tc := range map[string]struct{ value, want string }{
		"short":              {"nginx", "nginx"},
		"as long as may be":  {strings.Repeat("x", 100), strings.Repeat("x", 100)},
		"long":               {strings.Repeat("x", 101), strings.Repeat("x", 100) + "…"},
		"cut in a character": {strings.Repeat("x", 99) + "äx", strings.Repeat("x", 99) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Shorten(tc.value); got != tc.want || !utf8.ValidString(got) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestShortenImage(t *testing.T) {
	for name, tc := range map[string]struct{ image, want string }{
		"a reference":                    {"registry.example/nginx:1", "registry.example/nginx:1"},
		"a long reference":               {"registry.example/" + strings.Repeat("x", 100), "registry.example/" + strings.Repeat("x", 83) + "…"},
		"a digest that is wrong":         {"nginx:1@sha256:abc", "nginx:1@sha256:abc"},
		"a login":                        {"robot:hunter2@registry.example/nginx", "***@registry.example/nginx"},
		"a login after a scheme":         {"https://robot:hunter2@registry.example/nginx", "https://***@registry.example/nginx"},
		"a login that holds a scheme":    {"robot:hunter://2@registry.example/nginx", "***@registry.example/nginx"},
		"a login that is long":           {strings.Repeat("x", 200) + "@registry.example/nginx", "***@registry.example/nginx"},
		"a login before a wrong digest":  {"robot:hunter2@registry.example/nginx@sha256:abc", "***@registry.example/nginx@sha256:abc"},
		"a login that looks like a hash": {"sha:hunter2@shack.example/a", "***@shack.example/a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ShortenImage(tc.image); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
