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

// Package mutating is the admission that fills in the defaults of an ImageListPullJob.
//
// Read: the spec in a request to create or update one. Written: a JSON patch of absent fields that have a default, nothing else;
// defaulting twice changes nothing. Left alone: subresources, jobs that are being deleted, and updates that leave the spec as it
// is, such as of labels or finalizers.
//
// An invalid spec is refused here already, with every error in one answer. The API server checks its schema after mutating and
// before validating admission: left to the validating handler, a user would first see what the schema refuses and only then the
// rest. The validating handler stays the authority, since other webhooks may mutate the job in between.
package mutating
