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
	"fmt"
	"testing"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// A job that was stored while no webhook counted may have more images than the lists of the status may hold: its status must be
// accepted all the same.
func TestListsOfFailuresKeepTheBoundsOfTheSchema(t *testing.T) {
	var failed []v1alpha1.FailedImagePullJobStatus
	for i := range 300 {
		failed = append(failed, v1alpha1.FailedImagePullJobStatus{Image: fmt.Sprint("image-", i), Failed: 1})
	}
	list, compatible := boundFailures(failed)
	if len(list) != 255 || len(compatible) != 255 {
		t.Errorf("%d and %d of 300 failures are listed, want 255", len(list), len(compatible))
	}
}
