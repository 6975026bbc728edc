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

// Package host is the module that builds what the plugin runs in: a Kruise v1.8.0 manager with the plugin in it
// (./manager) and Kruise's own node daemon (github.com/openkruise/kruise/cmd/daemon, kept in go.mod by tools.go).
//
// It is a module of its own because Kruise needs k8s.io/kubernetes and a block of replace directives, neither of
// which may reach the plugin's go.mod. What the plugin costs such a build is manager/plugin.go and nothing else.
package host
