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

package framework

import (
	"fmt"

	"github.com/onsi/gomega/gcustom"
	"github.com/onsi/gomega/types"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// HaveFinished matches a job that finished for this reason.
func HaveFinished(reason string) types.GomegaMatcher {
	return gcustom.MakeMatcher(func(job *v1alpha1.ImageListPullJob) (bool, error) {
		finished := meta.FindStatusCondition(job.Status.Conditions, v1alpha1.ConditionFinished)
		if finished == nil || finished.Status != metav1.ConditionTrue {
			return false, nil
		}
		if finished.Reason != reason {
			return false, fmt.Errorf("finished as %s: %s", finished.Reason, finished.Message)
		}
		return true, nil
	}).WithTemplate("expected the job to have finished as {{.Data}}, but its status is\n{{format .Actual.Status 1}}", reason)
}
