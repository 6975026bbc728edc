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
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func TestPreparedNodeNamesOnlyItsOwnFolder(t *testing.T) {
	n := Node{Name: "node-1", Dir: shortTempDir(t)}
	if err := n.Prepare("127.0.0.1:5000", Native); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(n.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := toml.Unmarshal(content, &config); err != nil {
		t.Fatalf("containerd's configuration is no TOML: %v\n%s", err, content)
	}
	walk(config, func(value string) {
		if strings.HasPrefix(value, "/") && !strings.HasPrefix(value, n.Dir+"/") {
			t.Errorf("containerd's configuration names %s, outside of %s", value, n.Dir)
		}
	})
	images := config["plugins"].(map[string]any)["io.containerd.cri.v1.images"].(map[string]any)
	if images["snapshotter"] != "native" {
		t.Errorf("snapshotter %v, want native", images["snapshotter"])
	}
}

// shortTempDir is a temporary folder without the test's name, which may be too long for sockets.
func shortTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "node")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func walk(value any, visit func(string)) {
	switch value := value.(type) {
	case string:
		visit(value)
	case []any:
		for _, element := range value {
			walk(element, visit)
		}
	case map[string]any:
		for _, element := range value {
			walk(element, visit)
		}
	}
}

func TestEveryRegistryHostLeadsToTheLocalRegistryAndNowhereElse(t *testing.T) {
	n := Node{Name: "node-2", Dir: shortTempDir(t)}
	if err := n.Prepare("127.0.0.1:5000", Overlayfs); err != nil {
		t.Fatal(err)
	}
	if found, err := os.ReadDir(n.certsDir()); err != nil || len(found) != 1 {
		t.Errorf("folders for hosts: %v (%v), want no host to have one of its own", found, err)
	}
	content, err := fs.ReadFile(os.DirFS(n.certsDir()), "_default/hosts.toml")
	if err != nil {
		t.Fatal(err)
	}
	var hosts struct {
		Server string
		Host   map[string]any
		Header map[string][]string
	}
	if err := toml.Unmarshal(content, &hosts); err != nil {
		t.Fatal(err)
	}
	if hosts.Server != "http://127.0.0.1:5000" || len(hosts.Host) > 0 {
		t.Errorf("server %q and mirrors %v, want the local registry as server and no mirror", hosts.Server, hosts.Host)
	}
	if got := hosts.Header["X-Node-Name"]; len(got) != 1 || got[0] != "node-2" {
		t.Errorf("requests say that they come from %v, want node-2", got)
	}
}

func TestFolderThatIsTooLongForSocketsIsRefused(t *testing.T) {
	n := Node{Name: "node-1", Dir: filepath.Join(t.TempDir(), strings.Repeat("x", 100))}
	err := n.Prepare("127.0.0.1:5000", Native)
	if err == nil || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("got %v, want an error that asks for a shorter --dir", err)
	}
}
