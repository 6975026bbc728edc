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

// Package controlplane knows how etcd, kube-apiserver and kube-controller-manager are run on one machine, for one
// user, with nothing listening beyond it.
package controlplane

import (
	"errors"
	"net"
	"os"
	"path/filepath"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/pki"
)

// Files are the keys, certificates and policies of the control plane, below Dir.
type Files struct{ Dir string }

func (f Files) path(name string) string { return filepath.Join(f.Dir, name) }

// The names of the files in Dir.
const (
	caCert      = "ca.crt"
	servingCert = "serving.crt"
	servingKey  = "serving.key"
	etcdCert    = "etcd-client.crt"
	etcdKey     = "etcd-client.key"
	tokenKey    = "service-account.key"
)

// CACert is the authority that signed everything.
func (f Files) CACert() string { return f.path(caCert) }

// EtcdClient are the certificate and key with which etcd lets a client in.
func (f Files) EtcdClient() (cert, key string) { return f.path(etcdCert), f.path(etcdKey) }

// Write makes everything that the control plane needs, and returns the authority, which signs users' certificates.
func (f Files) Write() (*pki.Authority, error) {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, err
	}
	authority, err := pki.NewAuthority("local-cluster")
	if err != nil {
		return nil, err
	}
	ca, caErr := authority.Cert()
	serving, servingErr := authority.Server("kube-apiserver",
		[]string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		[]net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)})
	etcdClient, etcdErr := authority.Client("kube-apiserver-etcd-client")
	signing, signingErr := pki.SigningKey()
	if err := errors.Join(caErr, servingErr, etcdErr, signingErr); err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		caCert:      ca,
		servingCert: serving.Cert,
		servingKey:  serving.Key,
		etcdCert:    etcdClient.Cert,
		etcdKey:     etcdClient.Key,
		tokenKey:    signing,
	} {
		if err := os.WriteFile(f.path(name), content, 0o600); err != nil {
			return nil, err
		}
	}
	return authority, nil
}
