#!/usr/bin/env bash
# What `make run` does once everything is built: a cluster, the sample, the pulling as it goes, and what is there in the
# end. With a cluster that is up already it begins at the sample.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kubectl=${KUBECTL:-bin/kubectl}
sample=config/samples/imagelistpulljob.yaml
fail() {
  echo "run: $1" >&2
  exit 1
}

started=$SECONDS
if bin/localcluster status >/dev/null 2>&1; then
  echo "The local cluster is up."
else
  # It says itself what went wrong and how to mend it.
  bin/localcluster up --nodes "${NODES:-2}" || exit 1
fi
KUBECONFIG=$(bin/localcluster kubeconfig)
export KUBECONFIG

echo
echo "\$ kubectl apply -f $sample"
"$kubectl" apply -f "$sample" || fail "the sample was not accepted, see above; 'make status' shows whether a part of the cluster is down"
echo
echo "\$ kubectl get imagelistpulljob --watch"
"$kubectl" get -f "$sample" --watch &
watch=$!
trap '{ kill $watch && wait $watch; } 2>/dev/null || true' EXIT
"$kubectl" wait --for=condition=Finished --timeout=5m -f "$sample" >/dev/null 2>&1 ||
  fail "the job has not finished after 5 minutes; 'make status' shows whether a part of the cluster is down and where its log is"
{ kill "$watch" && wait "$watch"; } 2>/dev/null || true
trap - EXIT

echo
echo "\$ kubectl get imagelistpulljob"
"$kubectl" get -f "$sample"
echo
echo "Images on each node:"
bin/localcluster images

complete=$("$kubectl" get -f "$sample" -o 'jsonpath={.status.conditions[?(@.type=="Complete")].status}')
[ "$complete" = True ] ||
  fail "not every image was pulled: $("$kubectl" get -f "$sample" -o 'jsonpath={.status.conditions[?(@.type=="Finished")].message}')"

cat <<END

Done in $((SECONDS - started)) s. To go on:
  export KUBECONFIG=\$(make -s kubeconfig)     # and then kubectl (one is in bin/) as you like
  make status                                 # the parts of the cluster and their logs
  make stop                                   # the end of it
END
