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
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/pki"
)

// ClusterName is the name of the cluster, its context and its user in every kubeconfig.
const ClusterName = "local"

// WriteKubeconfig writes a kubeconfig that reaches the apiserver as the given user and stands on its own.
func WriteKubeconfig(file string, f Files, port int, user *clientcmdapi.AuthInfo) error {
	ca, err := os.ReadFile(f.CACert())
	if err != nil {
		return err
	}
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{
			ClusterName: {Server: fmt.Sprintf("https://127.0.0.1:%d", port), CertificateAuthorityData: ca},
		},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{ClusterName: user},
		Contexts:       map[string]*clientcmdapi.Context{ClusterName: {Cluster: ClusterName, AuthInfo: ClusterName}},
		CurrentContext: ClusterName,
	}, file)
}

// WithCertificate is a user who shows a client certificate.
func WithCertificate(pair pki.KeyPair) *clientcmdapi.AuthInfo {
	return &clientcmdapi.AuthInfo{ClientCertificateData: pair.Cert, ClientKeyData: pair.Key}
}

// WithToken is a user who shows a bearer token.
func WithToken(token string) *clientcmdapi.AuthInfo { return &clientcmdapi.AuthInfo{Token: token} }

// ClientConfig reads a kubeconfig for a client that is not throttled.
func ClientConfig(file string) (*rest.Config, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		return nil, err
	}
	cfg.QPS = -1
	return cfg, nil
}
