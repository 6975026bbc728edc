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

// Package state is the record that a local cluster keeps of itself in its folder: what runs, where it serves, what
// went wrong. The supervisor writes it; everybody else only reads.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// File is the name of the record in the cluster's folder.
const File = "state.json"

// Phase is how far a cluster is.
type Phase string

// The phases.
const (
	Starting Phase = "starting"
	Running  Phase = "running"
	// Failed: it did not start, and was stopped again.
	Failed   Phase = "failed"
	Stopping Phase = "stopping"
)

// State is the record.
type State struct {
	Phase Phase `json:"phase"`
	// BootID tells processes of this boot of the machine from those of another, which may look the same.
	BootID     string    `json:"bootID"`
	Started    time.Time `json:"started"`
	Supervisor Process   `json:"supervisor"`
	Parts      []Part    `json:"parts"`
	Nodes      []Node    `json:"nodes"`
	// Registry is the host:port of the image registry, AccessLog its file of one JSON object a request.
	Registry  string `json:"registry"`
	AccessLog string `json:"accessLog"`
	// Kubeconfig reaches the cluster as an administrator, ManagerKubeconfig as the manager.
	Kubeconfig        string `json:"kubeconfig"`
	ManagerKubeconfig string `json:"managerKubeconfig"`
	// ManagerMetrics is the URL of the manager's metrics.
	ManagerMetrics string `json:"managerMetrics"`
	// Error is why the cluster did not start.
	Error string `json:"error,omitempty"`
}

// Process names one process for good, see proc.Identity.
type Process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"`
}

// Part is one process of the cluster.
type Part struct {
	Name string `json:"name"`
	Process
	Started time.Time `json:"started"`
	Ready   bool      `json:"ready"`
	Log     string    `json:"log"`
	// Exit is how the process ended without being asked to; empty while it runs.
	Exit   string     `json:"exit,omitempty"`
	Exited *time.Time `json:"exited,omitempty"`
	// LastLine is the last line of its log at that moment.
	LastLine string `json:"lastLine,omitempty"`
}

// Node is one node of the cluster.
type Node struct {
	Name string `json:"name"`
	// Socket is where its containerd serves CRI.
	Socket string `json:"socket"`
	// DaemonMetrics is the URL of its kruise-daemon's metrics.
	DaemonMetrics string `json:"daemonMetrics"`
}

// Part returns the part with this name, nil if there is none.
func (s *State) Part(name string) *Part {
	for i := range s.Parts {
		if s.Parts[i].Name == name {
			return &s.Parts[i]
		}
	}
	return nil
}

// Read reads the record in a cluster's folder; it is nil when there is none.
func Read(dir string) (*State, error) {
	content, err := os.ReadFile(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &State{}
	if err := json.Unmarshal(content, s); err != nil {
		return nil, fmt.Errorf("read %s (remove the folder if nothing of it runs any more): %w", filepath.Join(dir, File), err)
	}
	return s, nil
}

// Write replaces the record in a cluster's folder; a reader sees the old one or the new one, whole.
func Write(dir string, s *State) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, File)
	if err := os.WriteFile(file+".new", append(content, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
