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

// Package webhook is the admission of ImageListPullJob: defaults (mutating) and rules (validating).
//
// A host with a map of handlers of its own, such as Kruise, merges HandlerGetterMap into it. Any other controller-runtime manager
// calls Add. The handlers need neither a client nor the scheme of the manager, answer without looking anything up, and do not
// panic on any request. They answer for versions v1alpha1 and v1beta1, whose JSON is the same.
package webhook
