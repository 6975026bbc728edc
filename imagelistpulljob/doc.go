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

// Package imagelistpulljob is the controller of ImageListPullJob: it turns a list of images into one ImagePullJob per image,
// sums up their status and cleans up. The ImagePullJobs are executed by the host: its ImagePullJob and NodeImage controllers
// and its node daemon.
//
// Read: the ImageListPullJob and the ImagePullJobs that it controls, from a cache of the plugin's own. Live: an ImagePullJob
// whose name is taken, the list job before it is deleted for its TTL, and one NodeImage per image that newly failed.
//
// Written: ImagePullJobs (create, patch of parallelism, deadline and our annotations, delete), the status of the list job, and
// its deletion when the TTL has passed. Nothing else: no label, annotation or finalizer of the user's object.
//
// Emitted: the events declared in events.go.
//
// Invariants:
//   - Every decision is taken anew from what the API holds. What is remembered from one reconcile to the next (memory.go: the last
//     status write, deletes that the cache does not show yet, creates that were refused, reasons that are not written yet) only
//     delays work, or spares reads.
//   - The name of a child follows from the list job's UID, the image and its template, so creating twice is harmless.
//   - A child is replaced only when the intent behind it changed, never because its spec was mutated by somebody else, and a
//     replacement is made only after its predecessor is gone.
//   - A job is not completed in a pass that creates or deletes a child.
//   - Status is written only when it changed, with the resourceVersion that was read; a conflict starts the reconcile over.
package imagelistpulljob
