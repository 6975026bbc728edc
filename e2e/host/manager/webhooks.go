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
	"fmt"
	"slices"
	"strings"

	kruisewebhook "github.com/openkruise/kruise/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// servedKinds are the ends of the webhook paths that a manager with only the image controllers can answer for.
var servedKinds = []string{"-nodeimage", "-imagepulljob", "-imagelistpulljob"}

// setUpWebhooks registers the handlers, and returns once certificates are made and the webhook configurations of
// the cluster carry them. Kruise removes configuration entries whose path has no handler; it never adds any.
func setUpWebhooks(ctx context.Context, mgr manager.Manager) error {
	keepServed(kruisewebhook.HandlerMap)
	if err := kruisewebhook.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("register the webhooks: %w", err)
	}
	if err := mgr.AddReadyzCheck("webhook-ready", kruisewebhook.Checker); err != nil {
		return fmt.Errorf("add the readiness check: %w", err)
	}
	if err := kruisewebhook.Initialize(ctx, mgr.GetConfig()); err != nil {
		return fmt.Errorf("make the webhooks' certificates and fill in the webhook configurations "+
			"(are they and the certificate secret installed, may this identity write them?): %w", err)
	}
	return nil
}

// webhooksReady is nil when the webhook server answers over TLS.
func webhooksReady() error { return kruisewebhook.Checker(nil) }

// keepServed drops the handlers of kinds whose controllers this manager does not run.
func keepServed(handlers kruisewebhook.HandlerPath2GetterMap) {
	for path := range handlers {
		if !slices.ContainsFunc(servedKinds, func(kind string) bool { return strings.HasSuffix(path, kind) }) {
			delete(handlers, path)
		}
	}
}
