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

// Package fakenodes gives a spec nodes that exist in the API alone, for what needs many nodes, nodes that come and go, or pulls that
// end as the spec says.
//
// A fake node is a Node with a Lease that is kept fresh, so that it stays Ready also where a node lifecycle controller looks after
// nodes, and with a taint that keeps Pods away. Kruise makes a NodeImage for it like for any other.
//
// What the NodeImages of fake nodes ask for is answered by a stand-in for kruise-daemon that runs in the process of the spec. It is no
// kruise-daemon: it pulls nothing, knows no secrets, repeats nothing, and ends each pull as the spec told it to (Answer), or at once
// and well if it was told nothing. It keeps to what Kruise's controllers read and write: the spec's tags are answered with the version
// they have, a tag with a new version is pulled again, one that is answered is not, and one that is gone from the spec is gone from
// the status. Unlike kruise-daemon it writes as often as there is something new.
//
// # Fake nodes and everybody else
//
// Specs run in parallel on one cluster, and a job without selector pulls onto every node, the fake nodes of other specs included.
// That disturbs neither side as long as everybody keeps to this:
//
//   - Fake nodes answer what their spec did not mention with success at once, and until their NodeImages are gone. A job of somebody
//     else is held up a little and never fails there. So a spec that makes pulls fail or hang uses image names of its own.
//   - A spec that uses fake nodes chooses them by Selector or by name. If it pulls onto all nodes, it counts its own only.
//   - A spec about real nodes either selects them with RealNodes, or gives no selector and then counts real nodes only:
//     Framework.NodeNames and NodeImages.Pulls know no others.
//   - A spec with so many nodes that others would wait for them is Serial.
package fakenodes
