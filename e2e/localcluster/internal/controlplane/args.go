/*
Copyright The ImageListPullJob Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package controlplane

import (
	"fmt"
	"strings"
)

// Ports are where the control plane serves on 127.0.0.1.
type Ports struct {
	Etcd, EtcdMetrics, APIServer, ControllerManager int
}

// EtcdArgs runs a single member that keeps its data in dataDir and lets in only who has a certificate.
func EtcdArgs(f Files, p Ports, dataDir string) []string {
	client := fmt.Sprintf("https://127.0.0.1:%d", p.Etcd)
	return []string{
		"--data-dir=" + dataDir,
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=http://127.0.0.1:0", // there are no peers
		fmt.Sprintf("--listen-metrics-urls=http://127.0.0.1:%d", p.EtcdMetrics),
		"--cert-file=" + f.path(servingCert),
		"--key-file=" + f.path(servingKey),
		"--client-cert-auth",
		"--trusted-ca-file=" + f.CACert(),
		"--unsafe-no-fsync", // nothing is meant to outlive the machine
		"--log-level=warn",
	}
}

// APIServerArgs runs an apiserver as strict as a cluster's: TLS, RBAC, and the admission plugin that finds owner
// references which their author has no right to make blocking.
func APIServerArgs(f Files, p Ports) []string {
	etcdCert, etcdKey := f.EtcdClient()
	return []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", // a loopback address is no valid endpoint
		fmt.Sprintf("--secure-port=%d", p.APIServer),
		"--tls-cert-file=" + f.path(servingCert),
		"--tls-private-key-file=" + f.path(servingKey),
		"--client-ca-file=" + f.CACert(),
		fmt.Sprintf("--etcd-servers=https://127.0.0.1:%d", p.Etcd),
		"--etcd-cafile=" + f.CACert(),
		"--etcd-certfile=" + etcdCert,
		"--etcd-keyfile=" + etcdKey,
		"--authorization-mode=RBAC",
		"--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + f.path(tokenKey),
		"--service-account-signing-key-file=" + f.path(tokenKey),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--profiling=false",
		"--shutdown-delay-duration=0s",
	}
}

// controllers are the ones that a cluster without pods needs. The node lifecycle controller is not among them:
// nodes here have no kubelet, so it would find them all dead.
var controllers = []string{
	"clusterrole-aggregation-controller",
	"garbage-collector-controller",
	"namespace-controller",
	"root-ca-certificate-publisher-controller",
	"serviceaccount-controller",
	"serviceaccount-token-controller",
}

// ControllerManagerArgs runs the controllers with the given kubeconfig.
func ControllerManagerArgs(f Files, p Ports, kubeconfig string) []string {
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.ControllerManager),
		"--cert-dir=" + f.path("controller-manager"),
		"--controllers=" + strings.Join(controllers, ","),
		"--leader-elect=false",
		"--use-service-account-credentials", // else no controller may do its work
		"--root-ca-file=" + f.CACert(),
		"--service-account-private-key-file=" + f.path(tokenKey),
		"--kube-api-qps=200",
		"--kube-api-burst=400",
		"--profiling=false",
	}
}
