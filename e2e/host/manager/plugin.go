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

	kruisefeatures "github.com/openkruise/kruise/pkg/features"
	kruisegates "github.com/openkruise/kruise/pkg/util/feature"
	kruisewebhook "github.com/openkruise/kruise/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/openkruise/imagelistpulljob/imagelistpulljob"
	"github.com/openkruise/imagelistpulljob/webhook"
)

// usePlugin is everything that the plugin asks of a Kruise build. It puts the plugin's webhooks into Kruise's map, adds
// the readiness check, and returns the function to call where Kruise calls its own list controller's Add.
func usePlugin(mgr manager.Manager, namespaces []string) (addFunc, error) {
	opts := imagelistpulljob.Options{
		Namespaces: namespaces,
		Enabled: func() bool {
			gates := kruisegates.DefaultFeatureGate
			return gates.Enabled(kruisefeatures.KruiseDaemon) && gates.Enabled(kruisefeatures.ImagePullJobGate)
		},
	}
	maps.Copy(kruisewebhook.HandlerMap, webhook.HandlerGetterMap)
	if err := mgr.AddReadyzCheck("imagelistpulljob", opts.ReadyzCheck()); err != nil {
		return nil, err
	}
	return func(mgr manager.Manager) error { return imagelistpulljob.AddWithOptions(mgr, opts) }, nil
}
