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
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// hostVarRun is where kruise-daemon looks for the container runtime's socket; it is compiled in.
const hostVarRun = "hostvarrun"

// DetachMounts keeps mounts made from here on in this mount namespace. Call it in a new one: mount events would
// otherwise travel back to the host.
func DetachMounts() error {
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("detach from the host's mounts: %w", err)
	}
	return nil
}

// HideRun gives this mount namespace an empty /run. containerd makes /run/containerd whatever folders it is given.
func HideRun() error {
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("hide /run: %w", err)
	}
	return nil
}

// EnterDaemonRoot makes root the root of this process: a copy of the host's file tree made of bind mounts, with
// runDir as /hostvarrun. That folder cannot simply be mounted over: on the host it does not exist, and must not be made.
func EnterDaemonRoot(root, runDir string) error {
	if err := unix.Mount("tmpfs", root, "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("mount the daemon's root: %w", err)
	}
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == hostVarRun {
			continue
		}
		if err := mirror(entry, "/"+entry.Name(), filepath.Join(root, entry.Name())); err != nil {
			return err
		}
	}
	if err := bind(runDir, filepath.Join(root, hostVarRun)); err != nil {
		return err
	}
	if err := unix.Chroot(root); err != nil {
		return fmt.Errorf("enter the daemon's root: %w", err)
	}
	return os.Chdir("/")
}

// mirror makes the entry of the host's root appear at target. Plain files there matter to nobody.
func mirror(entry fs.DirEntry, source, target string) error {
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		link, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(link, target)
	case entry.IsDir():
		err := bind(source, target)
		if errors.Is(err, unix.ENOENT) {
			return nil // gone since it was listed
		}
		return err
	default:
		return nil
	}
}

func bind(source, target string) error {
	if err := os.Mkdir(target, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bind %s to %s: %w", source, target, err)
	}
	return nil
}
