#!/usr/bin/env bash
# Names the Go files that do not start with hack/boilerplate.go.txt, and fails if there are any; with --fix, adds it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

header=hack/boilerplate.go.txt
lines=$(wc -l <"$header")
missing=()
while read -r file; do
  # Generated files have a line of their own and build constraints before it.
  head -n $((lines + 6)) "$file" | grep -qxF "$(sed -n 2p "$header")" || missing+=("$file")
done < <(git ls-files --cached --others --exclude-standard --deduplicate -- '*.go' | while read -r f; do [ ! -f "$f" ] || echo "$f"; done)

for file in "${missing[@]}"; do
  if [ "${1:-}" = --fix ]; then
    { cat "$header"; echo; cat "$file"; } >"$file.licensed"
    mv "$file.licensed" "$file"
  else
    echo "no licence header: $file"
  fi
done
[ "${1:-}" = --fix ] || [ ${#missing[@]} -eq 0 ]
