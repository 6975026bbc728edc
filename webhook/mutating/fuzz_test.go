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

package mutating

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

// FuzzHandler sends any spec. A second defaulting after the first must change nothing.
func FuzzHandler(f *testing.F) {
	for _, spec := range []string{
		`{"images":["a"]}`, `{"images":["a"],"pullPolicy":null,"imagePullPolicy":""}`, `{"images":["a"],"pullPolicy":{"timeoutSeconds":1e2}}`,
		`{"imagePullJobTemplate":[{"image":"a","pullPolicy":{}}],"completionPolicy":{"type":"","activeDeadlineSeconds":600}}`,
	} {
		f.Add([]byte(spec))
	}
	f.Fuzz(func(t *testing.T, spec []byte) {
		object := `{"spec":` + string(spec) + `}`
		first := newHandler(nil).Handle(context.Background(), request(admissionv1.Create, object, ""))
		if !first.Allowed {
			return
		}
		var tree map[string]any
		if err := json.Unmarshal([]byte(object), &tree); err != nil {
			t.Fatalf("admitted: %v", err)
		}
		for path, value := range added(t, first) {
			keys := strings.Split(strings.TrimPrefix(path, "/"), "/")
			at := tree
			for _, key := range keys[:len(keys)-1] {
				at = at[key].(map[string]any)
			}
			at[keys[len(keys)-1]] = value
		}
		defaulted, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		second := newHandler(nil).Handle(context.Background(), request(admissionv1.Create, string(defaulted), ""))
		if !second.Allowed || len(second.Patches) > 0 {
			t.Errorf("%s\nbecame\n%s\nand then %v %v", object, defaulted, second.Result, second.Patches)
		}
	})
}
