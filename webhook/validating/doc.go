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

// Package validating is the admission that refuses invalid ImageListPullJobs, with every error in one answer.
//
// Read: the spec in a request to create or update one. Written: nothing. Let through without a look: subresources, jobs that are
// being deleted, and updates that leave the spec as it is, so that a stored job that today's rules would refuse can still get
// labels and lose finalizers.
//
// The rules are those of the CRD schema, so that one answer names everything, and those that a schema cannot hold: two spellings
// of one image, the number of images after merging, the syntax of selectors, names and references, and for the template that is
// effective for each image whatever the admission of its ImagePullJob would refuse. A job that is admitted can run.
package validating
