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

// Package v1alpha1 is the API of ImageListPullJob: pull a list of images onto nodes before anyone needs them.
//
// Its JSON is a superset of the ImageListPullJob of github.com/openkruise/kruise-api v1.8.0: every field that
// kruise-api knows has the same name, type and meaning here, so its typed clients read and write these objects.
// The package holds types, defaults and the merging of per-image overrides, and no other logic.
//
// +kubebuilder:object:generate=true
// +groupName=apps.kruise.io
package v1alpha1
