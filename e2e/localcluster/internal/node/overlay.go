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
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Snapshotter is how containerd keeps unpacked layers.
type Snapshotter string

// The snapshotters that are used: native copies files, and works where overlay mounts do not (in a container, say).
const (
	Overlayfs Snapshotter = "overlayfs"
	Native    Snapshotter = "native"
)

// TryOverlay mounts an overlay on folders below dir, and returns why that does not work. Call it in a mount
// namespace of its own.
func TryOverlay(dir string) error {
	paths := map[string]string{}
	for _, name := range []string{"lower1", "lower2", "upper", "work", "merged"} {
		paths[name] = filepath.Join(dir, name)
		if err := os.MkdirAll(paths[name], 0o700); err != nil {
			return err
		}
	}
	options := fmt.Sprintf("lowerdir=%s:%s,upperdir=%s,workdir=%s", paths["lower2"], paths["lower1"], paths["upper"], paths["work"])
	if err := unix.Mount("overlay", paths["merged"], "overlay", 0, options); err != nil {
		return fmt.Errorf("mount an overlay: %w", err)
	}
	// Some kernels mount it, then fail to write.
	err := os.WriteFile(filepath.Join(paths["merged"], "probe"), nil, 0o600)
	return errors.Join(err, unix.Unmount(paths["merged"], 0))
}
