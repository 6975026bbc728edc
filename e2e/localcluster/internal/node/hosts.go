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

package node

import (
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

// hostsFile renders containerd's hosts.toml. The registry is set as the server itself, not as a mirror: after a
// mirror, containerd would ask the real registry, and an image that is missing here must be missing.
func hostsFile(nodeName, registryAddr string) ([]byte, error) {
	return toml.Marshal(table{
		"server":       "http://" + registryAddr,
		"capabilities": []string{"pull", "resolve"},
		"header":       table{registry.NodeHeader: []string{nodeName}},
	})
}

// writeHosts sends every registry host there: _default is each name that has no folder of its own.
func writeHosts(certsDir, nodeName, registryAddr string) error {
	content, err := hostsFile(nodeName, registryAddr)
	if err != nil {
		return err
	}
	dir := filepath.Join(certsDir, "_default")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "hosts.toml"), content, 0o644)
}
