#!/usr/bin/env bash
# Writes everything that is generated, into the tree that this script stands in:
#
#   generate.sh CONTROLLER_GEN
#
# hack/verify.sh runs it in a copy of the tree to learn whether anything would change.
set -euo pipefail

controller_gen=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

"$controller_gen" object:headerFile=hack/boilerplate.go.txt paths=./apis/...
# Whole descriptions would make the CRD too large for client-side apply; what is cut is the end of long ones.
"$controller_gen" crd:maxDescLen=1200 paths=./apis/... output:crd:dir=config/crd/bases
# controller-gen has no bounds for what may be a number or a string, and a CEL rule would exceed the cost budget. A number that the
# Go type cannot hold must not be stored: no client with that type could list the jobs any more.
sed -i -E 's/^( *)pattern: \^\[0-9\]\{1,9\}\$$/\1maximum: 2147483647\n\1minimum: 0\n&/' config/crd/bases/apps.kruise.io_imagelistpulljobs.yaml
"$controller_gen" rbac:roleName=imagelistpulljob-manager-role paths=./imagelistpulljob/... output:rbac:dir=config/rbac
"$controller_gen" webhook paths=./webhook/... output:webhook:dir=config/webhook
