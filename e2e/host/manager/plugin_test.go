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
	"reflect"
	"strings"
	"testing"

	kruisewebhook "github.com/openkruise/kruise/pkg/webhook"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// fakeManager is as much of a manager as is used before it starts.
type fakeManager struct {
	manager.Manager
	checks []string
}

func (*fakeManager) GetScheme() *runtime.Scheme { return runtime.NewScheme() }

func (m *fakeManager) AddReadyzCheck(name string, _ healthz.Checker) error {
	m.checks = append(m.checks, name)
	return nil
}

func TestListControllerDecidesWhoAnswersTheListWebhooks(t *testing.T) {
	tests := map[string]struct {
		listController string
		wantModule     string
		wantChecks     int
	}{
		"the plugin takes every path of Kruise's": {listControllerPlugin, "github.com/openkruise/imagelistpulljob/", 1},
		"without the plugin nothing is touched":   {listControllerKruise, "github.com/openkruise/kruise/", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := maps.Clone(kruisewebhook.HandlerMap)
			t.Cleanup(func() { kruisewebhook.HandlerMap = before })
			mgr := &fakeManager{}

			add, err := controllers(mgr, &options{listController: tt.listController})
			if err != nil {
				t.Fatalf("controllers: %v", err)
			}
			if len(add) != 3 || add[2] == nil {
				t.Errorf("%d controllers, want 3", len(add))
			}
			if len(mgr.checks) != tt.wantChecks {
				t.Errorf("readiness checks %q, want %d", mgr.checks, tt.wantChecks)
			}
			for path, getter := range kruisewebhook.HandlerMap {
				if !strings.HasSuffix(path, "-imagelistpulljob") {
					continue
				}
				if got := packageOf(getter(mgr)); !strings.HasPrefix(got, tt.wantModule) {
					t.Errorf("%s is answered by %s, want a package of %s", path, got, tt.wantModule)
				}
			}
		})
	}
}

func packageOf(handler any) string {
	typ := reflect.TypeOf(handler)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ.PkgPath()
}
