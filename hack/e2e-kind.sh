#!/usr/bin/env bash
# What `make e2e-kind` does once everything is built: creates a kind cluster, installs Kruise with the plugin in it as a user would, runs
# hack/e2e.sh against it, and deletes the cluster. E2E_FOCUS, E2E_LABELS and E2E_PROCS choose specs as there.
#
#   KIND_NODE_IMAGE  the node image (default: the one of kind's release)
#   E2E_KEEP         set: the cluster and its registry stay, and how to reach and remove them is printed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=imagelistpulljob-e2e
image=imagelistpulljob-e2e/host:local
kind=bin/kind
if $kind get clusters -q | grep -qx "$name"; then
  echo "the kind cluster $name is there already: remove it with $kind delete cluster --name $name" >&2
  exit 1
fi

scratch=$(mktemp -d)
export KUBECONFIG=$scratch/kubeconfig
registry=
finish() {
  local status=$?
  if [ "$status" != 0 ]; then
    mkdir -p e2e/reports/kind
    $kind export logs --name "$name" e2e/reports/kind >/dev/null 2>&1 || true
    cp "$scratch/registry.log" e2e/reports/kind/ 2>/dev/null || true
    echo "The logs of the nodes and of the registry, as far as there are any: e2e/reports/kind"
  fi
  if [ -n "${E2E_KEEP:-}" ]; then
    echo "The cluster stays. To test it again: E2E_LOGS='' E2E_KUBECONFIG=$KUBECONFIG E2E_REGISTRY=http://${address:-} make e2e"
    echo "To remove it: $kind delete cluster --name $name; kill ${registry:-}; docker image rm $image; rm -r $scratch"
    return
  fi
  $kind delete cluster --name "$name" -q || true
  docker image rm -f "$image" >/dev/null 2>&1 || true
  if [ -n "$registry" ]; then kill "$registry" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap finish EXIT

echo "=== the cluster"
$kind create cluster --name "$name" --config e2e/kind/cluster.yaml ${KIND_NODE_IMAGE:+--image "$KIND_NODE_IMAGE"} --wait 3m
mapfile -t nodes < <($kind get nodes --name "$name")

echo "=== the registry, on this machine"
gateway=$(docker network inspect kind -f '{{range .IPAM.Config}}{{println .Gateway}}{{end}}' | grep -m1 -F .)
export NO_PROXY=${NO_PROXY:-${no_proxy:-}},$gateway # specs talk to the registry themselves
bin/registry --listen "$gateway:0" --access-log "$scratch/registry.log" > "$scratch/registry.out" &
registry=$!
until address=$(grep -oE '[0-9.]+:[0-9]+$' "$scratch/registry.out"); do
  kill -0 "$registry" 2>/dev/null || { echo "the registry did not start" >&2; exit 1; }
  read -rt 0.1 <> <(:) || true
done
# Whatever host an image reference names, this registry is asked, and told by which node.
for node in "${nodes[@]}"; do
  docker exec -i "$node" sh -c 'rm -rf /etc/containerd/certs.d; mkdir -p /etc/containerd/certs.d/_default; cat > /etc/containerd/certs.d/_default/hosts.toml' <<TOML
server = "http://$address"
capabilities = ["pull", "resolve"]
[header]
X-Node-Name = ["$node"]
[host] # containerd 1.6 wants to see it
TOML
done

echo "=== manager and daemon"
docker build -q -t "$image" -f e2e/kind/Dockerfile bin
$kind load docker-image --name "$name" "$image"
cp -r "$(go list -C e2e/host -m -f '{{.Dir}}' github.com/openkruise/kruise)/config" "$scratch/kruise"
chmod -R u+w "$scratch/kruise"
cp -r e2e/kind/install "$scratch"
"$KUBECTL" apply --server-side -k "$scratch/install"
"$KUBECTL" apply --server-side -k "$scratch/kruise/daemonconfig"
"$KUBECTL" apply --server-side --force-conflicts -k config/default
"$KUBECTL" -n kruise-system scale --replicas=1 deployment/kruise-controller-manager
"$KUBECTL" -n kruise-system rollout status --timeout=3m deployment/kruise-controller-manager
"$KUBECTL" -n kruise-system rollout status --timeout=3m daemonset/kruise-daemon
for node in "${nodes[@]}"; do "$KUBECTL" wait --for=create --timeout=1m "nodeimage/$node"; done
# The Service learns of a Pod that is ready, and the API server of the certificate, a moment later.
for attempt in {60..0}; do
  refusal=$("$KUBECTL" create --dry-run=server -f config/samples/imagelistpulljob.yaml 2>&1) && break
  [ "$attempt" != 0 ] || { echo "the webhook does not answer: $refusal" >&2; exit 1; }
  read -rt 1 <> <(:) || true
done

E2E_KUBECONFIG=$KUBECONFIG E2E_REGISTRY=http://$address hack/e2e.sh
