#!/usr/bin/env bash
# What `make e2e` does once everything is built. With E2E_KUBECONFIG the suite runs against that cluster; without, on
# the local one, which is started for it unless it is up, and then stopped again. Reports: e2e/reports.
#
#   E2E_FOCUS   regular expression: only specs whose text matches
#   E2E_LABELS  label filter, such as 'smoke' or '!slow && !registry' (default: '!slow')
#   E2E_PROCS   how many specs run at a time (default: 6; most of them wait most of the time)
#
# With E2E_KUBECONFIG only: E2E_REGISTRY is the URL of the registry that the nodes pull from (without it leave out the
# specs labelled registry), E2E_LOGS a folder with the logs of manager and daemons, if they are not Pods of kruise-system.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "=== the tests of the host and of the suite's own parts"
go test -C e2e/host ./...
mapfile -t own < <(go list -C e2e ./... | grep -v '/e2e/specs')
go test -C e2e -count=1 "${own[@]}" # they read config/, which go does not see change

scratch=$(mktemp -d)
started=
finish() {
  if [ -n "$started" ]; then bin/localcluster down; fi
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export KUBECACHEDIR=$scratch/kubectl

if [ -n "${E2E_KUBECONFIG:-}" ]; then
  KUBECONFIG=$(realpath "$E2E_KUBECONFIG")
  export KUBECONFIG
else
  if ! bin/localcluster status >/dev/null 2>&1; then
    started=yes
    bin/localcluster up --nodes "${NODES:-2}"
  fi
  eval "$(bin/localcluster env)"
  newer=$(find bin/kruise-manager bin/kruise-daemon config -type f -newer "$KUBECONFIG")
  if [ -n "$newer" ]; then
    printf 'The local cluster was started before these were changed, make stop first:\n%s\n' "$newer" >&2
    exit 1
  fi
fi

echo "=== the suite"
rm -rf e2e/reports
color=()
[ -t 1 ] || color=(--no-color)
status=0
(
  cd e2e
  go tool ginkgo run --procs="${E2E_PROCS:-6}" --label-filter="${E2E_LABELS:-!slow}" ${E2E_FOCUS:+--focus="$E2E_FOCUS"} \
    --fail-on-empty --silence-skips --timeout=40m --poll-progress-after=3m "${color[@]}" \
    --output-dir=reports --junit-report=junit.xml --json-report=report.json ./specs
) | tee "$scratch/output" || status=$?

if [ "$status" != 0 ] && [ -d "${E2E_LOGS:-}" ]; then
  cp -r "$E2E_LOGS" e2e/reports/logs
  echo "All logs: e2e/reports/logs"
fi
# In plain words, for what reads the end of the output.
sed -E 's/\x1b\[[0-9;]*m//g' "$scratch/output" | sed -nE 's/.*-- .*\b([0-9]+) Passed.* ([0-9]+) Failed.*/\1 passed, \2 failed/p'
exit "$status"
