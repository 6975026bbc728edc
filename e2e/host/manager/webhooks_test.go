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

package main

import (
	"maps"
	"testing"

	kruisewebhook "github.com/openkruise/kruise/pkg/webhook"
)

func TestKeepServed(t *testing.T) {
	handlers := maps.Clone(kruisewebhook.HandlerMap)
	keepServed(handlers)

	want := []string{
		"/mutate-apps-kruise-io-v1alpha1-imagelistpulljob",
		"/mutate-apps-kruise-io-v1alpha1-imagepulljob",
		"/mutate-apps-kruise-io-v1alpha1-nodeimage",
		"/validate-apps-kruise-io-v1alpha1-imagelistpulljob",
		"/validate-apps-kruise-io-v1alpha1-imagepulljob",
		"/validate-apps-kruise-io-v1alpha1-nodeimage",
	}
	for _, path := range want {
		if handlers[path] == nil {
			t.Errorf("no handler for %s", path)
		}
		delete(handlers, path)
	}
	for path := range handlers {
		t.Errorf("unexpected handler for %s", path)
	}
}
