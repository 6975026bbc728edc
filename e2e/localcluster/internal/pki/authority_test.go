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

package pki

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
)

func TestCertificatesAreAcceptedForWhatTheyAreFor(t *testing.T) {
	authority, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	ca, err := authority.Cert()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)

	server, err := authority.Server("server", []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.Client("me", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		pair  KeyPair
		host  string
		usage x509.ExtKeyUsage
		want  bool
	}{
		"server by address":       {server, "127.0.0.1", x509.ExtKeyUsageServerAuth, true},
		"server by name":          {server, "localhost", x509.ExtKeyUsageServerAuth, true},
		"server by another name":  {server, "example.com", x509.ExtKeyUsageServerAuth, false},
		"client as client":        {client, "", x509.ExtKeyUsageClientAuth, true},
		"client posing as server": {client, "", x509.ExtKeyUsageServerAuth, false},
	} {
		pair, err := tls.X509KeyPair(tt.pair.Cert, tt.pair.Key)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: tt.host, KeyUsages: []x509.ExtKeyUsage{tt.usage}})
		if got := err == nil; got != tt.want {
			t.Errorf("%s: accepted %v, want %v (%v)", name, got, tt.want, err)
		}
	}
	if pair, _ := tls.X509KeyPair(client.Cert, client.Key); pair.Leaf.Subject.CommonName != "me" || pair.Leaf.Subject.Organization[0] != "system:masters" {
		t.Errorf("the client is %s", pair.Leaf.Subject)
	}
}
