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

// Package node is one node of the local cluster: a containerd with its own root, and a kruise-daemon that sees only
// that containerd.
package node

import (
	"fmt"
	"os"
	"path/filepath"
)

// Node is where one node keeps its things, and how it is reached.
type Node struct {
	Name string
	Dir  string
	// DaemonPort serves the daemon's health and metrics on 127.0.0.1.
	DaemonPort int
}

// SocketName is the file name of the containerd socket in RunDir; kruise-daemon is told of it by this name.
const SocketName = "containerd.sock"

// RunDir holds the sockets; it is what the daemon sees as /hostvarrun.
func (n Node) RunDir() string { return filepath.Join(n.Dir, "run") }

// Socket is where containerd serves CRI.
func (n Node) Socket() string { return filepath.Join(n.RunDir(), SocketName) }

// ConfigFile is containerd's configuration.
func (n Node) ConfigFile() string { return filepath.Join(n.Dir, "containerd.toml") }

// DaemonRoot is the empty folder that becomes the daemon's root, inside its own mount namespace only.
func (n Node) DaemonRoot() string { return filepath.Join(n.Dir, "daemon-root") }

// HomeDir is the home of the node's processes, so that no registry credentials of the user who starts the cluster get in.
func (n Node) HomeDir() string { return filepath.Join(n.Dir, "home") }

// TempDir is where the node's processes put temporary files and mounts.
func (n Node) TempDir() string { return filepath.Join(n.Dir, "tmp") }

func (n Node) certsDir() string { return filepath.Join(n.Dir, "certs.d") }

// maxSocketPath is the kernel's limit for the path of a unix socket (sun_path, less its final zero). containerd adds
// ".ttrpc" to its own.
const maxSocketPath = 107 - len(".ttrpc")

// Prepare makes the node's folders and writes containerd's configuration.
func (n Node) Prepare(registryAddr string, snapshotter Snapshotter) error {
	if len(n.Socket()) > maxSocketPath {
		return fmt.Errorf("%s is too long for a unix socket (%d characters at most): choose a shorter --dir", n.Socket(), maxSocketPath)
	}
	for _, dir := range []string{n.RunDir(), n.DaemonRoot(), n.HomeDir(), n.TempDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := writeHosts(n.certsDir(), n.Name, registryAddr); err != nil {
		return err
	}
	config, err := containerdConfig(n, snapshotter)
	if err != nil {
		return err
	}
	return os.WriteFile(n.ConfigFile(), config, 0o644)
}

// Env is the environment of the node's processes.
func (n Node) Env() []string {
	return []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + n.HomeDir(), "TMPDIR=" + n.TempDir()}
}
