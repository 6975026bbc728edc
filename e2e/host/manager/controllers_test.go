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
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func TestControllerSetup(t *testing.T) {
	absent := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "apps.kruise.io", Kind: "ImageListPullJob"}}
	broken := errors.New("broken")
	tests := map[string]struct {
		results   []error // of the add functions, in order
		wantAdded int
		wantErr   error
	}{
		"every controller is added":            {results: []error{nil, nil}, wantAdded: 2},
		"an absent CRD costs its controller":   {results: []error{absent, nil}, wantAdded: 2},
		"any other failure stops the manager":  {results: []error{broken, nil}, wantAdded: 1, wantErr: broken},
		"also when it is that of the last one": {results: []error{nil, broken}, wantAdded: 2, wantErr: broken},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			added, asked := 0, 0
			s := &controllerSetup{ready: func() error {
				if asked++; asked < 2 {
					return errors.New("not yet")
				}
				return nil
			}}
			for _, result := range tt.results {
				s.add = append(s.add, func(manager.Manager) error {
					if asked < 2 {
						t.Error("a controller was added before the webhooks were ready")
					}
					added++
					return result
				})
			}
			if err := s.Start(context.Background()); !errors.Is(err, tt.wantErr) {
				t.Errorf("Start: got %v, want %v", err, tt.wantErr)
			}
			if added != tt.wantAdded {
				t.Errorf("%d add functions called, want %d", added, tt.wantAdded)
			}
		})
	}
}

func TestControllerSetupEndsWithTheManager(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &controllerSetup{
		ready: func() error { cancel(); return errors.New("never") },
		add:   []addFunc{func(manager.Manager) error { t.Error("a controller was added"); return nil }},
	}
	if err := s.Start(ctx); err != nil {
		t.Errorf("Start: got %v, want nil", err)
	}
}
