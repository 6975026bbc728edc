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

// Package pki makes the keys and certificates of a cluster that lives for hours on one machine.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// lifetime of every certificate.
const lifetime = 365 * 24 * time.Hour

// Authority signs certificates. Its key is never written to disk.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// KeyPair is a certificate with its key, both PEM.
type KeyPair struct {
	Cert, Key []byte
}

// NewAuthority makes a new self-signed authority.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of authority %q: %w", name, err)
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name}, key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of authority %q: %w", name, err)
	}
	return &Authority{certificate: certificate, key: key}, nil
}

// Cert is the authority's own certificate, PEM.
func (a *Authority) Cert() ([]byte, error) { return cert.EncodeCertificates(a.certificate) }

// Server issues a certificate for a server that is reached by these names and addresses. It serves as client
// certificate too: etcd's health check of itself asks for that.
func (a *Authority) Server(name string, dnsNames []string, ips []net.IP) (KeyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		DNSNames:    dnsNames,
		IPAddresses: ips,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// Client issues a certificate for a user in groups, as the apiserver reads it.
func (a *Authority) Client(user string, groups ...string) (KeyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// SigningKey makes the key pair with which the control plane signs and checks service account tokens.
func SigningKey() (private []byte, err error) {
	return keyutil.MakeEllipticPrivateKeyPEM()
}

func (a *Authority) issue(template *x509.Certificate) (KeyPair, error) {
	fail := func(err error) (KeyPair, error) {
		return KeyPair{}, fmt.Errorf("issue a certificate for %q: %w", template.Subject.CommonName, err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		return fail(err)
	}
	template.SerialNumber = serial
	// As the authority's own, so that a clock that is set back a little breaks nothing.
	template.NotBefore = a.certificate.NotBefore
	template.NotAfter = time.Now().Add(lifetime)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return fail(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return fail(err)
	}
	pair := KeyPair{}
	if pair.Cert, err = cert.EncodeCertificates(certificate); err != nil {
		return fail(err)
	}
	if pair.Key, err = keyutil.MarshalPrivateKeyToPEM(key); err != nil {
		return fail(err)
	}
	return pair, nil
}
