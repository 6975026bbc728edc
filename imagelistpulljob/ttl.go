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

package imagelistpulljob

import (
	"time"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// ttlLeft returns how long a job that finished at the given time is kept, negative once it is due. false: for ever, which is what a
// TTL of 0 means too.
func ttlLeft(job *v1alpha1.ImageListPullJob, finished, now time.Time) (time.Duration, bool) {
	policy := job.Spec.CompletionPolicy
	if policy == nil || policy.Type == v1alpha1.Never || policy.TTLSecondsAfterFinished == nil || *policy.TTLSecondsAfterFinished <= 0 {
		return 0, false
	}
	return finished.Add(time.Duration(*policy.TTLSecondsAfterFinished) * time.Second).Sub(now), true
}
