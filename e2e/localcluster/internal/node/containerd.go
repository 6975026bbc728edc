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
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

type table = map[string]any

// unusedPlugins only cost start-up time here, or would look at the host: other snapshotters, restarts, tracing.
var unusedPlugins = []string{
	"io.containerd.internal.v1.restart",
	"io.containerd.internal.v1.tracing",
	"io.containerd.tracing.processor.v1.otlp",
	"io.containerd.monitor.task.v1.cgroups",
	"io.containerd.nri.v1.nri",
	"io.containerd.snapshotter.v1.blockfile",
	"io.containerd.snapshotter.v1.btrfs",
	"io.containerd.snapshotter.v1.devmapper",
	"io.containerd.snapshotter.v1.erofs",
	"io.containerd.snapshotter.v1.zfs",
}

// containerdConfig renders the configuration of the node's containerd. Every folder that containerd has a default
// for is named, so that two of them share nothing and the host is left alone.
func containerdConfig(n Node, snapshotter Snapshotter) ([]byte, error) {
	under := func(name string) string { return filepath.Join(n.Dir, name) }
	return toml.Marshal(table{
		"version":          3,
		"root":             under("root"),
		"state":            under("state"),
		"temp":             n.TempDir(),
		"disabled_plugins": unusedPlugins,
		"grpc":             table{"address": n.Socket()},
		"plugins": table{
			"io.containerd.internal.v1.opt": table{"path": under("opt")},
			"io.containerd.image-verifier.v1.bindir": table{
				"bin_dir": under("image-verifier"),
			},
			"io.containerd.cri.v1.images": table{
				"snapshotter":   string(snapshotter),
				"pinned_images": table{"sandbox": registry.PauseImage},
				"registry":      table{"config_path": n.certsDir()},
			},
			"io.containerd.cri.v1.runtime": table{
				"cni": table{"conf_dir": under("cni/net.d"), "bin_dirs": []string{under("cni/bin")}},
			},
			"io.containerd.grpc.v1.cri": table{
				"stream_server_address": "127.0.0.1",
				"stream_server_port":    "0",
			},
		},
	})
}
