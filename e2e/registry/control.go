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
	"encoding/json"
	"net/http"
)

const (
	behavioursPath = "/_control/behaviours/"
	requestsPath   = "/_control/requests/"
	tokenPath      = "/_control/token"
)

func (b *behaviours) serveSet(w http.ResponseWriter, req *http.Request) {
	decoder := json.NewDecoder(req.Body)
	decoder.DisallowUnknownFields()
	var behaviour Behaviour
	err := decoder.Decode(&behaviour)
	if err == nil {
		err = behaviour.validate()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.set(req.PathValue("repository"), behaviour)
	w.WriteHeader(http.StatusNoContent)
}

func (l *requestLog) serveList(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(l.list(req.PathValue("repository"))) // the client may be gone
}
