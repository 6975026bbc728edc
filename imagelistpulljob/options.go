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

package imagelistpulljob

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// Options of the controller. The zero value is what Add uses.
type Options struct {
	// Enabled is asked once, when the controller is added; false adds nothing. A host binds its feature gates here: Kruise's are
	// KruiseDaemon and ImagePullJobGate. nil: enabled.
	Enabled func() bool

	// Namespaces restricts the controller to these namespaces; the host's own cache options are not inherited. Empty: all.
	Namespaces []string

	// Name is the name of the controller in logs, metrics, events and managedFields, unique in a manager.
	// Default: imagelistpulljob-controller.
	Name string

	// MaxConcurrentReconciles is how many list jobs are worked on at once. Default: 3.
	MaxConcurrentReconciles int

	// StatusInterval is the least time between two status writes of one list job; the start, the first failure and the finish are
	// always written at once. Default: one second.
	StatusInterval time.Duration

	ready *readiness
}

const (
	defaultName                    = "imagelistpulljob-controller"
	defaultMaxConcurrentReconciles = 3
	defaultStatusInterval          = time.Second
)

// ReadyzCheck returns a check that fails until the controller, once it is added with these Options, has filled its cache. It does
// not fail for a controller that is not enabled or whose kinds are not served. A manager takes checks only before it starts, so
// register it there, and pass the same Options to AddWithOptions when the time has come.
func (o *Options) ReadyzCheck() healthz.Checker {
	if o.ready == nil {
		o.ready = &readiness{}
	}
	return o.ready.check
}

func (o Options) withDefaults() Options {
	if o.Enabled == nil {
		o.Enabled = func() bool { return true }
	}
	if o.Name == "" {
		o.Name = defaultName
	}
	if o.MaxConcurrentReconciles == 0 {
		o.MaxConcurrentReconciles = defaultMaxConcurrentReconciles
	}
	if o.StatusInterval == 0 {
		o.StatusInterval = defaultStatusInterval
	}
	if o.ready == nil {
		o.ready = &readiness{}
	}
	return o
}
