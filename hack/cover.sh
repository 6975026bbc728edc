#!/usr/bin/env bash
# Says how much of the library the unit and integration tests cover, generated code aside, and fails below what is promised:
#
#   cover.sh ASSETS     the folder with etcd and kube-apiserver
#
# One run has both kinds: what reads the API server's answers is covered by the integration tests alone (add.go, cluster.go,
# served.go). The profile stays in cover.out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

promised=90
KUBEBUILDER_ASSETS=$(realpath "$1") go test -tags integration -count=1 -timeout 20m -coverpkg=./... -coverprofile=cover.out ./...
sed -i '/zz_generated/d' cover.out
go tool cover -func=cover.out | awk '$NF != "100.0%"'

part=$(mktemp)
trap 'rm -f "$part"' EXIT
failed=0
for folder in apis imagelistpulljob webhook; do
  { head -n 1 cover.out; grep "imagelistpulljob/$folder/" cover.out; } >"$part"
  percent=$(go tool cover -func="$part" | awk 'END { print $NF }')
  printf '%-18s %s\n' "$folder" "$percent"
  [ "$(printf '%s\n' "$promised" "${percent%\%}" | sort -g | head -n 1)" = "$promised" ] || failed=1
done
[ "$failed" = 0 ] || { echo "cover: less than $promised % of a folder is covered: test what is listed above, or delete it" >&2; exit 1; }
