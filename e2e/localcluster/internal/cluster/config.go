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

// Package cluster starts the parts of a local cluster in their order, watches them, and stops them.
package cluster

import (
	"fmt"
	"path/filepath"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/manifests"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/node"
)

// Config is what a user can choose. It travels to the supervisor as JSON.
type Config struct {
	// Dir is the cluster's folder: everything that it writes is below it.
	Dir string `json:"dir"`
	// Binaries are the paths of the programs, by name.
	Binaries map[string]string `json:"binaries"`
	// Manifests is where CRDs, roles and webhook configurations come from.
	Manifests manifests.Source `json:"manifests"`
	Nodes     int              `json:"nodes"`
	// Images are put into the registry beside the default ones.
	Images []string `json:"images"`
	// KeepLogs leaves the logs in Dir when the cluster stops.
	KeepLogs bool `json:"keepLogs"`
	// ManagerArgs are given to the manager after all others.
	ManagerArgs []string `json:"managerArgs"`
	// Ports that are 0 are chosen.
	Ports Ports `json:"ports"`
}

// Ports are those that somebody may want to know beforehand.
type Ports struct {
	APIServer int `json:"apiserver"`
	Registry  int `json:"registry"`
	Webhook   int `json:"webhook"`
	Metrics   int `json:"metrics"`
}

// The programs that a cluster consists of.
const (
	etcd              = "etcd"
	apiserver         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	containerd        = "containerd"
	kruiseManager     = "kruise-manager"
	kruiseDaemon      = "kruise-daemon"
)

// Programs lists the programs that a cluster consists of.
func Programs() []string {
	return []string{etcd, apiserver, controllerManager, containerd, kruiseManager, kruiseDaemon}
}

func (c Config) path(elements ...string) string {
	return filepath.Join(append([]string{c.Dir}, elements...)...)
}

func (c Config) log(part string) string { return c.path(logsDir, part+".log") }

// Kubeconfig is the administrator's.
func (c Config) Kubeconfig() string { return c.path("kubeconfig") }

// SupervisorLog is where the supervisor itself writes.
func (c Config) SupervisorLog() string { return c.log("supervisor") }

func (c Config) accessLog() string { return c.log("registry-access") }

// nodes lays out the nodes, without the ports of their daemons.
func (c Config) nodes() []node.Node {
	nodes := make([]node.Node, c.Nodes)
	for i := range nodes {
		name := fmt.Sprintf("node-%d", i+1)
		nodes[i] = node.Node{Name: name, Dir: c.path(name)}
	}
	return nodes
}
