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

// Package specs holds the e2e specs. They run against the cluster that KUBECONFIG names, on real parts: an apiserver, Kruise's
// controllers and kruise-daemon, a container runtime and a registry.
package specs

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/openkruise/imagelistpulljob/e2e/framework"
)

// In one process, before the others begin.
var _ = SynchronizedBeforeSuite(func(ctx SpecContext) { framework.RemoveLeftovers(ctx) }, func() {})

// held is a finalizer that keeps a job which was deleted; see Tester.Release.
const held = "e2e.imagelistpulljobs.kruise.io/held"

func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	// What clients log is shown with a spec that failed.
	log.SetLogger(GinkgoLogr)
	RunSpecs(t, "ImageListPullJob")
}
