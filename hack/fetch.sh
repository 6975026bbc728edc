#!/usr/bin/env bash
# Downloads the modules of the large builds. make runs it beside the first of them, so that the others need not wait for the network;
# what it cannot get they fetch themselves.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# go list downloads just what a build needs, where go mod download would take everything.
fetch() { CGO_ENABLED=0 go list -C "$1" -deps "${@:2}" >/dev/null 2>&1; }
fetch e2e/controlplane/kubernetes k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager k8s.io/kubernetes/cmd/kubectl
fetch e2e/controlplane/containerd github.com/containerd/containerd/v2/cmd/containerd
fetch e2e/host ./manager github.com/openkruise/kruise/cmd/daemon
fetch e2e ./localcluster
