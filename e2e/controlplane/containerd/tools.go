//go:build tools

// Package containerd pins the container runtime of the local cluster's nodes.
package containerd

import _ "github.com/containerd/containerd/v2/cmd/containerd"
