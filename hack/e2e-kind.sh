#!/usr/bin/env bash
# What `make e2e-kind` does once everything is built: creates a kind cluster, installs Kruise with the plugin in it as a user would, runs
# hack/e2e.sh against it, and deletes the cluster. E2E_FOCUS, E2E_LABELS and E2E_PROCS choose specs as there.
#
#   KIND_NODE_IMAGE  the node image (default: the one of kind's release)
#   E2E_KEEP         set: the cluster and its registry stay, and how to reach and remove them is printed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ -z "${E2E_KUBECONFIG:-}" ] || { echo "E2E_KUBECONFIG names a cluster that is there already: make e2e runs the suite on it" >&2; exit 1; }
name=imagelistpulljob-e2e-$$
image=imagelistpulljob-e2e/host:$$
kind=bin/kind
kubectl=${KUBECTL:-bin/kubectl}
rm -rf e2e/reports

scratch=$(mktemp -d)
export KUBECONFIG=$scratch/kubeconfig
registry=
finish() {
  local status=$?
  set +e
  if [ "$status" != 0 ]; then
    mkdir -p e2e/reports/kind
    $kind export logs --name "$name" e2e/reports/kind >/dev/null 2>&1
    cp "$scratch/registry.log" e2e/reports/kind/ 2>/dev/null
    echo "The logs of the nodes and of the registry, as far as there are any: e2e/reports/kind"
  fi
  if [ -n "${E2E_KEEP:-}" ]; then
    echo "The cluster stays. To test it again: E2E_KUBECONFIG=$KUBECONFIG E2E_REGISTRY=http://${address:-} make e2e"
    echo "To remove it: $kind delete cluster --name $name; kill ${registry:-}; docker image rm $image; rm -r $scratch"
    return
  fi
  $kind delete cluster --name "$name" -q || echo "The cluster could not be deleted: $kind delete cluster --name $name" >&2
  docker image rm -f "$image" >/dev/null 2>&1
  [ -z "$registry" ] || kill "$registry" 2>/dev/null
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "=== the cluster"
$kind create cluster --retain --name "$name" --config e2e/kind/cluster.yaml ${KIND_NODE_IMAGE:+--image "$KIND_NODE_IMAGE"} --wait 3m
mapfile -t nodes < <($kind get nodes --name "$name")

echo "=== the registry, on this machine"
gateway=$(docker network inspect kind -f '{{range .IPAM.Config}}{{println .Gateway}}{{end}}' | grep -m1 -F .) ||
  { echo "Docker's network kind has no IPv4 gateway, where nodes reach this machine" >&2; exit 1; }
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
sed -i "s|newTag: local|newTag: \"$$\"|" "$scratch/install/kustomization.yaml"
"$kubectl" apply --server-side -k "$scratch/install"
"$kubectl" apply --server-side -k "$scratch/kruise/daemonconfig"
"$kubectl" apply --server-side --force-conflicts -k config/default
"$kubectl" -n kruise-system scale --replicas=1 deployment/kruise-controller-manager
"$kubectl" -n kruise-system rollout status --timeout=3m deployment/kruise-controller-manager
"$kubectl" -n kruise-system rollout status --timeout=3m daemonset/kruise-daemon
for node in "${nodes[@]}"; do "$kubectl" wait --for=create --timeout=1m "nodeimage/$node"; done
# The Service learns of a Pod that is ready, and the API server of the certificate, a moment later.
for attempt in {60..0}; do
  refusal=$("$kubectl" create --dry-run=server -f config/samples/imagelistpulljob.yaml 2>&1) && break
  [ "$attempt" != 0 ] || { echo "the webhook does not answer: $refusal" >&2; exit 1; }
  read -rt 1 <> <(:) || true
done

KUBECTL=$(realpath "$kubectl") E2E_LOGS='' E2E_KUBECONFIG=$KUBECONFIG E2E_REGISTRY=http://$address hack/e2e.sh
