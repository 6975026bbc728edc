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
	"context"
	"errors"
	"fmt"
	"sync"
)

// Behaviour is how the registry treats those who read from a repository. A zero field changes nothing; several can be combined.
type Behaviour struct {
	// Hang leaves requests without an answer until the client gives up or the behaviour is lifted; they are then treated as those
	// that come later.
	Hang bool `json:"hang,omitempty"`
	// Status answers with this HTTP status, from 200 to 599, and an error as the OCI distribution specification describes it.
	Status int `json:"status,omitempty"`
	// BytesPerSecond is how fast blobs are sent.
	BytesPerSecond int64 `json:"bytesPerSecond,omitempty"`
	// DieInLayer closes the connection instead of sending anything of a blob beyond its first so many bytes, also to a client that asks
	// again for the rest. Blobs that are no larger, as configurations usually are, pass.
	DieInLayer int64 `json:"dieInLayer,omitempty"`
	// Username and Password are demanded: as HTTP Basic, or with Tokens for a bearer token as the large public registries do.
	Username string `json:"username,omitempty"`
	Password string `json:"password,omitempty"`
	Tokens   bool   `json:"tokens,omitempty"`
}

func (b Behaviour) validate() error {
	var errs []error
	if b.Status != 0 && (b.Status < 200 || b.Status > 599) {
		errs = append(errs, fmt.Errorf("status %d: must be from 200 to 599", b.Status))
	}
	if b.BytesPerSecond < 0 {
		errs = append(errs, fmt.Errorf("bytesPerSecond %d: must not be negative", b.BytesPerSecond))
	}
	if b.DieInLayer < 0 {
		errs = append(errs, fmt.Errorf("dieInLayer %d: must not be negative", b.DieInLayer))
	}
	if (b.Username == "") != (b.Password == "") {
		errs = append(errs, errors.New("username and password: one is empty, clients send neither then"))
	}
	if b.Tokens && b.Password == "" {
		errs = append(errs, errors.New("tokens: there is no password to get one for"))
	}
	return errors.Join(errs...)
}

// behaviours are those that differ from a usual registry, by repository.
type behaviours struct {
	mu     sync.Mutex
	active map[string]*activeBehaviour
	tokens map[string]string // their repository
}

type activeBehaviour struct {
	Behaviour
	// lifted is closed when the behaviour no longer holds, or another does.
	lifted chan struct{}
}

func newBehaviours() *behaviours {
	return &behaviours{active: map[string]*activeBehaviour{}, tokens: map[string]string{}}
}

func (b *behaviours) set(repository string, behaviour Behaviour) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.active[repository]; old != nil {
		close(old.lifted)
	}
	if behaviour == (Behaviour{}) {
		delete(b.active, repository)
		return
	}
	b.active[repository] = &activeBehaviour{Behaviour: behaviour, lifted: make(chan struct{})}
}

func (b *behaviours) get(repository string) *activeBehaviour {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.active[repository]
}

// await returns the behaviour of a repository, nil for the usual one, as soon as it is not to hang.
func (b *behaviours) await(ctx context.Context, repository string) (*activeBehaviour, error) {
	for {
		behaviour := b.get(repository)
		if behaviour == nil || !behaviour.Hang {
			return behaviour, nil
		}
		select {
		case <-behaviour.lifted:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
