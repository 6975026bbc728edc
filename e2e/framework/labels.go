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

package framework

import . "github.com/onsi/ginkgo/v2"

// The labels by which specs are chosen.
var (
	// Smoke are the main things, in about a minute.
	Smoke = Label("smoke")
	// Slow specs take minutes. They do not run unless asked for.
	Slow = Label("slow")
	// Disruptive specs change what others share, and run by themselves.
	Disruptive = []any{Label("disruptive"), Serial}
	// NeedsRegistry specs tell the registry that the nodes pull from what to do; E2E_REGISTRY names it.
	NeedsRegistry = Label("registry")
	// PrivateRegistry specs log in to it.
	PrivateRegistry = []any{Label("private-registry"), NeedsRegistry}
)
