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

package manifests

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// build runs kustomize on a folder, as `kubectl apply -k` does.
func build(fs filesys.FileSystem, dir string) ([]*unstructured.Unstructured, error) {
	result, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, dir)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", dir, err)
	}
	return toObjects(result)
}

func toObjects(resources resmap.ResMap) ([]*unstructured.Unstructured, error) {
	objects := make([]*unstructured.Unstructured, 0, resources.Size())
	for _, r := range resources.Resources() {
		m, err := r.Map()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", r.CurId(), err)
		}
		objects = append(objects, &unstructured.Unstructured{Object: m})
	}
	return objects, nil
}

// copyInto puts files of the host below dir of an in-memory file system.
func copyInto(fs filesys.FileSystem, dir string, files ...string) error {
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := fs.WriteFile(filepath.Join(dir, filepath.Base(file)), content); err != nil {
			return err
		}
	}
	return nil
}
