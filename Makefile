# One command each; `make help` lists them. Anything longer than a line or two is a script in hack/.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := $(CURDIR)/bin
# Where etcd and kube-apiserver are: built here, unless the environment has them.
ASSETS := $(if $(KUBEBUILDER_ASSETS),$(abspath $(KUBEBUILDER_ASSETS)),$(BIN))
CONTROL_PLANE := bin/kube-controller-manager bin/containerd
ifeq ($(KUBEBUILDER_ASSETS),)
APISERVER := bin/etcd bin/kube-apiserver
KUBECTL := bin/kubectl
else
KUBECTL := $(or $(wildcard $(ASSETS)/kubectl),bin/kubectl)
endif
CLUSTER := $(APISERVER) $(CONTROL_PLANE) $(KUBECTL) bin/kruise-manager bin/kruise-daemon bin/localcluster
export KUBECTL := $(abspath $(KUBECTL))

# The race detector needs cgo.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
FUZZTIME ?= 10m
NODES ?= 2

##@ Help

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

##@ Code

.PHONY: generate fmt lint verify
generate: bin/controller-gen ## Write what is generated: deepcopy, CRD, RBAC role, webhook manifests.
	hack/generate.sh bin/controller-gen

fmt: bin/golangci-lint ## Format the Go files.
	bin/golangci-lint fmt

lint: bin/golangci-lint ## Run golangci-lint.
	for module in . e2e e2e/host; do (cd $$module && $(BIN)/golangci-lint run ./...); done

verify: bin/controller-gen bin/golangci-lint ## Check, without writing: generated files, formatting, lint, licence headers, modules, untracked files.
	hack/verify.sh bin

##@ Tests

.PHONY: test unit integration e2e e2e-kind fuzz cover compat
test: unit integration e2e ## Run unit, integration and e2e tests.

unit: ## Run the unit tests.
	go test $(RACE) ./...

integration: $(APISERVER) ## Run the tests against a real apiserver (from KUBEBUILDER_ASSETS if set).
	KUBEBUILDER_ASSETS=$(ASSETS) go test -tags integration -count=1 -timeout 20m ./...

e2e: $(if $(E2E_KUBECONFIG),$(filter %/kubectl,$(CLUSTER)),root cluster-programs) ## Run the e2e suite on the local cluster (started for it if none is up) or on E2E_KUBECONFIG; E2E_FOCUS and E2E_LABELS choose specs.
	hack/e2e.sh

e2e-kind: docker $(KUBECTL) bin/kind bin/registry bin/kruise-manager bin/kruise-daemon ## Run the e2e suite on a kind cluster made for it (needs Linux and Docker; KIND_NODE_IMAGE names the node image).
	hack/e2e-kind.sh

# Without a bound, most of the time goes into making interesting inputs smaller.
fuzz: ## Run each fuzz target for FUZZTIME (10m).
	for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "=== $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package; \
	  done; \
	done

cover: $(APISERVER) ## Show what of the library unit and integration tests do not cover (profile: cover.out); fail below 90 %.
	hack/cover.sh $(ASSETS)

compat: ## Prove that hosts with controller-runtime v0.18, v0.20 and v0.25 can import this module.
	hack/compat.sh

##@ Local cluster

.PHONY: run stop status kubeconfig
run: root cluster-programs ## Start the local cluster (NODES=2), apply the sample and show it being pulled.
	@NODES=$(NODES) hack/run.sh

stop: ## Stop the local cluster.
	@if [ -x bin/localcluster ]; then bin/localcluster down; else echo "bin/localcluster is not built: no cluster of this folder runs"; fi

status: ## Show the parts of the local cluster.
	@if [ -x bin/localcluster ]; then bin/localcluster status; else echo "bin/localcluster is not built: no cluster of this folder runs"; fi

kubeconfig: ## Print the path of the local cluster's kubeconfig; with make -s, nothing else.
	@[ -x bin/localcluster ] || { echo "no local cluster runs: make run starts one" >&2; exit 1; }
	@bin/localcluster kubeconfig

##@ Build

.PHONY: build binaries clean root docker cluster-programs
build: ## Compile and vet the library.
	go build ./...
	go vet ./...

binaries: cluster-programs bin/controller-gen bin/golangci-lint ## Build what is missing or out of date of the local cluster and the tools, into bin/.

clean: ## Remove what was built.
	@if [ -x bin/localcluster ] && bin/localcluster status >/dev/null 2>&1; then echo "the local cluster runs from bin/: make stop first" >&2; exit 1; fi
	rm -rf bin cover.out e2e/reports

# Two at a time: one build alone leaves cores idle while it downloads, links, or waits for a large package.
cluster-programs:
	@$(MAKE) --no-print-directory -j2 $(CLUSTER)

root: # Nodes are mounts and sockets of this machine.
	@[ "$$(uname -s)" = Linux ] || { echo "the local cluster needs Linux" >&2; exit 1; }
	@[ "$$(id -u)" = 0 ] || { echo "the local cluster mounts file systems for its nodes and so needs root: sudo -E make $(firstword $(MAKECMDGOALS))" >&2; exit 1; }

docker: # Before minutes of building.
	@[ "$$(uname -s)" = Linux ] || { echo "make e2e-kind needs Linux: its registry listens where nodes reach this machine" >&2; exit 1; }
	@docker info >/dev/null || { echo "make e2e-kind needs a Docker that answers" >&2; exit 1; }

# Sources of this module that programs are built from.
LIBRARY := go.mod $(shell find apis imagelistpulljob webhook -name '*.go' -not -name '*_test.go')
sources = $(shell find $(1) -name '*.go' -not -name '*_test.go')

# go-build MODULE PACKAGE: go leaves a binary that needs no change as old as it was, hence touch.
define go-build
	CGO_ENABLED=0 go build -C $(1) -trimpath -ldflags "-s -w" -o $(BIN)/$(@F) $(2)
	@touch $@
endef

# Built as go test builds, to share its cache.
bin/controller-gen: hack/tools/go.mod hack/tools/go.sum
	go build -C hack/tools -o $(BIN)/ sigs.k8s.io/controller-tools/cmd/controller-gen
	@touch $@

bin/golangci-lint: hack/tools/go.mod hack/tools/go.sum
	go build -C hack/tools -o $(BIN)/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

bin/kind: hack/tools/kind/go.mod hack/tools/kind/go.sum
	go build -C hack/tools/kind -o $(BIN)/ sigs.k8s.io/kind
	@touch $@

bin/etcd: e2e/controlplane/etcd/go.mod
bin/containerd: e2e/controlplane/containerd/go.mod
bin/kube-apiserver bin/kube-controller-manager bin/kubectl: e2e/controlplane/kubernetes/go.mod
# These share most of their packages, which builds at the same time would compile twice.
bin/kube-controller-manager: | $(filter bin/kube-apiserver,$(CLUSTER))
bin/kubectl: | bin/kube-controller-manager
bin/kruise-daemon: | bin/kruise-manager
bin/etcd bin/containerd bin/kube-apiserver bin/kube-controller-manager bin/kubectl:
	e2e/controlplane/build.sh bin $(@F)

bin/kruise-manager: e2e/host/go.mod e2e/host/go.sum $(LIBRARY) $(call sources,e2e/host)
	$(call go-build,e2e/host,./manager)

bin/kruise-daemon: e2e/host/go.mod e2e/host/go.sum
	$(call go-build,e2e/host,github.com/openkruise/kruise/cmd/daemon)

bin/localcluster: e2e/go.mod e2e/go.sum $(call sources,e2e/localcluster e2e/registry)
	$(call go-build,e2e,./localcluster)

bin/registry: e2e/go.mod e2e/go.sum $(call sources,e2e/cmd/registry e2e/registry)
	$(call go-build,e2e,./cmd/registry)
