#!/usr/bin/env bash
# Checks the tree and changes nothing. Every check runs; each one that fails ends with the command that mends it.
#
#   verify.sh BIN_DIR        with controller-gen and golangci-lint in it
set -euo pipefail

bin=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=()

# check NAME MENDING_COMMAND FUNCTION
check() {
  local started=$SECONDS
  echo "=== $1"
  if "$3"; then
    echo "    ok, $((SECONDS - started)) s"
  else
    echo "    FAILED: $1. To mend it: $2"
    failed+=("$1")
  fi
}

files() { git ls-files --cached --others --exclude-standard --deduplicate | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }
modules() { files | grep -E '(^|/)go\.mod$' | xargs -n1 dirname; }
# Modules with packages of ours; those under e2e/controlplane and hack only name tools.
code_modules() { modules | grep -vE '^(hack|e2e/controlplane)/'; }

generated() {
  files | tar -cf - -T - | tar -xf - -C "$tmp"
  "$tmp/hack/generate.sh" "$bin/controller-gen" || return 1
  local status=0
  for dir in apis config; do diff -ruN "$dir" "$tmp/$dir" || status=1; done
  return $status
}

formatting() {
  local out
  # From the top it reaches the files of every module.
  out=$("$bin/golangci-lint" fmt --diff 2>&1 || true)
  [ -z "$out" ] || { echo "$out"; return 1; }
}

lint() {
  local status=0
  for module in $(code_modules); do
    (cd "$module" && "$bin/golangci-lint" run ./...) || { echo "    in module $module"; status=1; }
  done
  return $status
}

licences() { hack/licence.sh; }

tidy() {
  local status=0
  for module in $(modules); do
    go mod tidy -C "$module" -diff || { echo "    in module $module"; status=1; }
  done
  return $status
}

untracked() {
  local found
  found=$(git ls-files --others --exclude-standard)
  [ -z "$found" ] || { echo "$found"; return 1; }
}

check "generated files are up to date" "make generate" generated
check "files are formatted" "make fmt" formatting
check "golangci-lint finds nothing" "make lint, and mend what it names" lint
check "Go files start with the licence header" "hack/licence.sh --fix" licences
check "modules are tidy" "go mod tidy -C <the module named above>" tidy
check "no file is untracked" "git add the files, or name them in .gitignore" untracked

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nverify failed:\n'
  printf '  %s\n' "${failed[@]}"
  exit 1
fi
