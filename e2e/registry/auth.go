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
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// authorized says whether a request carries what the behaviour of the repository demands.
func (b *behaviours) authorized(req *http.Request, repository string, behaviour Behaviour) bool {
	if behaviour.Tokens {
		token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		b.mu.Lock()
		defer b.mu.Unlock()
		return ok && b.tokens[token] == repository
	}
	return behaviour.admits(req)
}

func (b Behaviour) admits(req *http.Request) bool {
	username, password, ok := req.BasicAuth()
	return ok && username == b.Username && password == b.Password
}

// challenge tells a client how to log in.
func challenge(w http.ResponseWriter, req *http.Request, target target, tokens bool) {
	scheme := `Basic realm="registry"`
	if tokens {
		scheme = fmt.Sprintf(`Bearer realm="http://%s%s",service="registry",scope="repository:%s:pull"`, req.Host, tokenPath, target.repository)
	}
	w.Header().Set("WWW-Authenticate", scheme)
	writeError(w, http.StatusUnauthorized, target)
}

// serveToken gives a token for one repository to those who know its password.
func (b *behaviours) serveToken(w http.ResponseWriter, req *http.Request) {
	scope := strings.Split(req.URL.Query().Get("scope"), ":")
	if len(scope) != 3 || scope[0] != "repository" {
		http.Error(w, "the scope must be repository:NAME:ACTIONS", http.StatusBadRequest)
		return
	}
	repository := scope[1]
	behaviour := b.get(repository)
	if behaviour == nil || !behaviour.Tokens || !behaviour.admits(req) {
		writeError(w, http.StatusUnauthorized, target{repository: repository})
		return
	}
	token := rand.Text()
	b.mu.Lock()
	b.tokens[token] = repository
	b.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"token": token})
}
