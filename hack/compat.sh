#!/usr/bin/env bash
# Proves that hosts of different ages can import this module, from one source:
#
#   compat.sh            checks each line of the matrix below, then what a host's own build gets
#   compat.sh --update   writes the module files of the matrix anew, from go.mod
#
# Each line is a module file used with -modfile; the floor is go.mod itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kruise_api=v1.8.0
# module file, controller-runtime, k8s.io/{api,apimachinery,client-go}
matrix=(
  "go.mod                  v0.18.6 v0.30.10"
  "hack/compat/k8s-0.32.mod v0.20.4 v0.32.13"
  "hack/compat/k8s-0.37.mod v0.25.3 v0.37.2"
)
# What the root module may require directly, at most; everything that it requires is forced on each host.
allowed="
github.com/distribution/reference
github.com/google/go-cmp
github.com/openkruise/kruise-api
k8s.io/api
k8s.io/apimachinery
k8s.io/client-go
k8s.io/utils
sigs.k8s.io/controller-runtime"

fail() {
  printf 'compat: %s\n' "$@" >&2
  exit 1
}

# pins CONTROLLER_RUNTIME K8S : the modules of a line with their versions, as go list and go get write them.
pins() {
  echo "sigs.k8s.io/controller-runtime@$1"
  for name in api apimachinery client-go; do echo "k8s.io/$name@$2"; done
  echo "github.com/openkruise/kruise-api@$kruise_api"
}

update() {
  for line in "${matrix[@]}"; do
    read -r modfile runtime k8s <<<"$line"
    [ "$modfile" != go.mod ] || continue
    cp go.mod "$modfile"
    cp go.sum "${modfile%.mod}.sum"
    # shellcheck disable=SC2046 # one word each
    go get -modfile="$modfile" $(pins "$runtime" "$k8s")
    go mod tidy -modfile="$modfile"
  done
}

check_line() {
  local modfile=$1 runtime=$2 k8s=$3 started=$SECONDS want got
  echo "=== controller-runtime $runtime, k8s.io $k8s ($modfile)"
  go mod tidy -diff -modfile="$modfile" ||
    fail "$modfile is not what go.mod asks for. To mend it: go mod tidy && hack/compat.sh --update"
  want=$(pins "$runtime" "$k8s" | sort)
  got=$(go list -modfile="$modfile" -m -f '{{.Path}}@{{.Version}}' \
    sigs.k8s.io/controller-runtime k8s.io/api k8s.io/apimachinery k8s.io/client-go github.com/openkruise/kruise-api | sort)
  [ "$want" = "$got" ] || fail "$modfile selects other versions than it claims:" "$(diff <(echo "$want") <(echo "$got") || true)"
  go vet -modfile="$modfile" ./...
  go vet -modfile="$modfile" -tags integration ./...
  go test -modfile="$modfile" ./...
  echo "    ok, $((SECONDS - started)) s"
}

check_requirements() {
  echo "=== go.mod requires no more than the floor"
  local extra
  extra=$(go list -m -f '{{if not (or .Main .Indirect)}}{{.Path}}{{end}}' all | grep -vxF "$allowed" || true)
  [ -z "$extra" ] || fail "go.mod may not require directly:" "$extra"
  [ "$(go list -m -f '{{.GoVersion}}')" = 1.22.0 ] || fail "go.mod must say 'go 1.22.0': older hosts could not import it"
  ! grep -nE '^(exclude|replace|tool|toolchain)\b' go.mod || fail "go.mod: the lines above do not belong there"
  echo "    ok"
}

# A host at the floor: what it selects with and without us is the same, and it builds with nothing but our two packages.
check_consumer() {
  echo "=== a host at the floor keeps its versions"
  local root=$PWD started=$SECONDS
  read -r _ runtime k8s <<<"${matrix[0]}"
  consumer=$(mktemp -d)
  trap 'rm -rf "$consumer"' EXIT
  cp go.sum "$consumer/go.sum"
  cp hack/compat/consumer.go.txt "$consumer/main.go"
  (
    cd "$consumer"
    export GOFLAGS="${GOFLAGS:-} -mod=mod"
    go mod init example.com/host 2>/dev/null
    go mod edit -go=1.22.0
    for pin in $(pins "$runtime" "$k8s") github.com/distribution/reference@v0.5.0; do go mod edit -require="$pin"; done
    go list -m all | tail -n +2 >before
    go mod edit -replace=github.com/openkruise/imagelistpulljob="$root"
    go mod edit -require=github.com/openkruise/imagelistpulljob@v0.0.0
    go list -m all | tail -n +2 | grep -v '^github.com/openkruise/imagelistpulljob ' >after
    diff before after || fail "requiring this module changes what a host at the floor selects: see above"
    go build -o /dev/null .
    for pin in $(pins "$runtime" "$k8s"); do
      [ "$(go list -m -f '{{.Path}}@{{.Version}}' "${pin%@*}")" = "$pin" ] || fail "a host at the floor no longer has $pin"
    done
  )
  echo "    ok, $((SECONDS - started)) s"
}

case ${1:-} in
--update) update ;;
"")
  check_requirements
  for line in "${matrix[@]}"; do
    read -r modfile runtime k8s <<<"$line"
    check_line "$modfile" "$runtime" "$k8s"
  done
  check_consumer
  ;;
*) fail "usage: compat.sh [--update]" ;;
esac
