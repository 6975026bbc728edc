#!/usr/bin/env bash
# Builds the programs of a real control plane from their Go modules, statically linked:
#
#   build.sh BIN_DIR [NAME...]      without a name: all of them
#
# A program that is newer than its go.mod is left as it is. The list at the end is the only place that says what is
# built from where; versions are in the go.mod files beside this script.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -lt 1 ]; then
  echo "usage: build.sh BIN_DIR [etcd|kube-apiserver|kube-controller-manager|kubectl|containerd...]" >&2
  exit 2
fi
mkdir -p "$1"
bin=$(cd "$1" && pwd)
shift
wanted=("$@")
matched=0

# required MODULE_DIR MODULE: the version that the go.mod file requires.
required() { awk -v m="$2" '$1 == "require" && $2 == m { print $3 } $1 == m && $2 ~ /^v/ { print $2 }' "$here/$1/go.mod" | head -1; }

# stamps PREFIX... : the linker flags that tell Kubernetes programs their version, for each package that keeps one.
stamps() {
  local version major minor
  version=$(required kubernetes k8s.io/kubernetes)
  IFS=. read -r major minor _ <<<"${version#v}"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf -- '-X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s -X %s.gitTreeState=clean ' \
      "$package" "$version" "$package" "$major" "$package" "$minor" "$package"
  done
}

# build NAME MODULE_DIR PACKAGE [LINKER_FLAGS]
build() {
  local name=$1 dir=$here/$2 package=$3 flags=${4:-}
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  matched=$((matched + 1))
  if [ -x "$bin/$name" ] && [ "$bin/$name" -nt "$dir/go.mod" ]; then return; fi
  echo "building $name (minutes, the first time) ..."
  local started=$SECONDS
  # Built beside its place and moved there: an interrupted build leaves no half a program, a running one is not disturbed.
  CGO_ENABLED=0 go build -C "$dir" -trimpath -ldflags "-s -w $flags" -o "$bin/.$name.new" "$package"
  touch "$bin/.$name.new"
  mv "$bin/.$name.new" "$bin/$name"
  echo "built    $name in $((SECONDS - started)) s"
}

build etcd etcd go.etcd.io/etcd/server/v3
build containerd containerd github.com/containerd/containerd/v2/cmd/containerd \
  "-X github.com/containerd/containerd/v2/version.Version=$(required containerd github.com/containerd/containerd/v2)"
for name in kube-apiserver kube-controller-manager kubectl; do
  build "$name" kubernetes "k8s.io/kubernetes/cmd/$name" "$(stamps)"
done

if [ ${#wanted[@]} -gt 0 ] && [ "$matched" -ne ${#wanted[@]} ]; then
  echo "build.sh: some of these are not built here: ${wanted[*]}" >&2
  exit 2
fi
