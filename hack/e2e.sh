#!/usr/bin/env bash
# What `make e2e` does once everything is built. With E2E_KUBECONFIG the suite runs against that cluster; without, on
# the local one, which is started for it unless it is up, and then stopped again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t suites < <(go list -C e2e ./... | grep -vE '/e2e/(localcluster|registry|cmd|fakenodes)')
[ ${#suites[@]} -gt 0 ] || { echo "e2e: there is no suite in e2e/" >&2; exit 1; }

echo "=== the own tests of what the suite runs on"
go test -C e2e/host ./...
go test -C e2e ./localcluster/... ./registry/... ./cmd/... ./fakenodes/...

if [ -n "${E2E_KUBECONFIG:-}" ]; then
  KUBECONFIG=$(realpath "$E2E_KUBECONFIG")
else
  if ! bin/localcluster status >/dev/null 2>&1; then
    trap 'bin/localcluster down' EXIT
    bin/localcluster up --nodes "${NODES:-2}"
  fi
  KUBECONFIG=$(bin/localcluster kubeconfig)
fi
export KUBECONFIG

echo "=== the suite"
# One package at a time: they share the cluster. -v: Ginkgo's own summary, not only go test's.
go test -C e2e -count=1 -p 1 -timeout 30m -v "${suites[@]}"
