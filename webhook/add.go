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

package webhook

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/openkruise/imagelistpulljob/webhook/mutating"
	"github.com/openkruise/imagelistpulljob/webhook/validating"
)

// HandlerGetterMap is the handlers of mutating and validating admission by path, each path with its leading slash.
var HandlerGetterMap = union(mutating.HandlerGetterMap, validating.HandlerGetterMap)

// Add registers the handlers on the webhook server of mgr, before it starts. It is an error if the server cannot be had, or if one
// of the paths is taken, as in a build of Kruise, which serves them itself: merge HandlerGetterMap into its map instead.
func Add(mgr manager.Manager) error {
	paths := make([]string, 0, len(HandlerGetterMap))
	for path := range HandlerGetterMap {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := register(mgr, path, HandlerGetterMap[path](mgr)); err != nil {
			return err
		}
	}
	return nil
}

// register turns the panics of a webhook server, which it answers a taken path with, into an error.
func register(mgr manager.Manager, path string, handler admission.Handler) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("register webhook %s: %v", path, reason)
		}
	}()
	mgr.GetWebhookServer().Register(path, (&admission.Webhook{Handler: handler}).WithRecoverPanic(true))
	return nil
}

func union(all ...map[string]func(manager.Manager) admission.Handler) map[string]func(manager.Manager) admission.Handler {
	merged := make(map[string]func(manager.Manager) admission.Handler)
	for _, handlers := range all {
		maps.Copy(merged, handlers)
	}
	return merged
}
