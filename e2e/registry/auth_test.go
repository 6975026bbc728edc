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

package registry

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func basic(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

func TestBasicPassword(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	s.behave(t, "app", Behaviour{Username: "somebody", Password: "secret"})
	for name, want := range map[string]struct {
		username, password string
		status             int
	}{
		"right":          {"somebody", "secret", http.StatusOK},
		"wrong password": {"somebody", "guess", http.StatusUnauthorized},
		"wrong user":     {"nobody", "secret", http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			resp := s.get(t, "/v2/library/app/manifests/1", "Authorization", basic(want.username, want.password))
			if resp.StatusCode != want.status {
				t.Errorf("answered %s, want %d", resp.Status, want.status)
			}
		})
	}
	resp := s.get(t, "/v2/library/app/manifests/1")
	if got := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(got, "Basic ") {
		t.Errorf("without a password: %s, challenge %q", resp.Status, got)
	}
}

func TestTokens(t *testing.T) {
	s := serve(t)
	s.push(t, "app:1")
	s.behave(t, "app", Behaviour{Username: "somebody", Password: "secret", Tokens: true})

	resp := s.get(t, "/v2/library/app/manifests/1")
	challenge := resp.Header.Get("WWW-Authenticate")
	if want := `Bearer realm="` + s.URL + `/_control/token",service="registry",scope="repository:library/app:pull"`; challenge != want {
		t.Errorf("challenge %s, want %s", challenge, want)
	}
	tokenURL := tokenPath + "?service=registry&scope=repository:library/app:pull"
	if resp = s.get(t, tokenURL); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token without a password: %s", resp.Status)
	}
	if resp = s.get(t, tokenPath+"?scope=all"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a token for everything: %s", resp.Status)
	}
	var answer struct{ Token string }
	resp = s.get(t, tokenURL, "Authorization", basic("somebody", "secret"))
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatalf("%s: %v", resp.Status, err)
	}
	token := answer.Token
	if resp = s.get(t, "/v2/library/app/manifests/1", "Authorization", "Bearer "+token); resp.StatusCode != http.StatusOK {
		t.Errorf("with a token: %s", resp.Status)
	}
	if resp = s.get(t, "/v2/library/app/manifests/1", "Authorization", "Bearer x"+token); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("with another token: %s", resp.Status)
	}

	s.push(t, "other:1")
	s.behave(t, "other", Behaviour{Username: "somebody", Password: "else", Tokens: true})
	if resp = s.get(t, "/v2/library/other/manifests/1", "Authorization", "Bearer "+token); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("with the token of another repository: %s", resp.Status)
	}
}
