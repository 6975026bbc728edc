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

// Package registry is the image registry of the e2e suite: an OCI registry that holds everything in memory, answers for every registry host
// (nodes are told to ask it whatever the host in an image reference says), remembers who asked for what, and misbehaves on demand.
//
// How it behaves is set for each repository through an HTTP API on the same port, for which Client is the Go side. Behaviours concern those
// who read; the client pushes past them, and is not in the log of requests.
//
//	PUT /_control/behaviours/REPOSITORY   a Behaviour as JSON, which replaces the earlier one; {} lifts it
//	GET /_control/requests/REPOSITORY     the latest Requests for the repository as a JSON list, oldest first
//	GET /_control/token                   bearer tokens, see Behaviour.Tokens
package registry
