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
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// maxReasonReads is how many NodeImages are read in one reconcile to learn why images failed.
const maxReasonReads = 10

// wrapping is what kruise-daemon, gRPC and containerd put before what went wrong; the status names the image anyway.
var wrapping = regexp.MustCompile(`^(?i:failed to pull (?:image reference|and unpack image) "[^"]*": |rpc error: code = \w+ desc = )+`)

// newFailures lists the children whose failure has no reason in the status yet, as many as are read in one reconcile, and says
// whether there are more.
func newFailures(job *v1alpha1.ImageListPullJob, children []*kruisev1alpha1.ImagePullJob) ([]*kruisev1alpha1.ImagePullJob, bool) {
	if job.Status.CompletionTime != nil || job.DeletionTimestamp != nil {
		return nil, false
	}
	explained := make(map[string]bool, len(job.Status.FailedImagePullJobStatuses))
	for i := range job.Status.FailedImagePullJobStatuses {
		// An image that is listed without its nodes has no room for a reason either.
		f := &job.Status.FailedImagePullJobStatuses[i]
		explained[f.Name] = f.Message != "" || len(f.FailedNodes) == 0
	}
	var fresh []*kruisev1alpha1.ImagePullJob
	for _, child := range children {
		if child.Status.Failed > 0 && len(child.Status.FailedNodes) > 0 && child.DeletionTimestamp == nil &&
			!exceedsDeadline(child) && !explained[child.Name] {
			fresh = append(fresh, child)
		}
	}
	slices.SortFunc(fresh, func(a, b *kruisev1alpha1.ImagePullJob) int { return cmp.Compare(a.Name, b.Name) })
	return fresh[:min(len(fresh), maxReasonReads)], len(fresh) > maxReasonReads
}

// readReasons asks one failed node of each child why. That NodeImages cannot be read keeps nothing else from working: the reason
// then says where to look.
func readReasons(ctx context.Context, live client.Reader, failures []*kruisev1alpha1.ImagePullJob) map[string]string {
	reasons := make(map[string]string, len(failures))
	for _, child := range failures {
		node := child.Status.FailedNodes[0]
		nodeImage := &kruisev1alpha1.NodeImage{}
		reason := ""
		if err := live.Get(ctx, types.NamespacedName{Name: node}, nodeImage); err != nil {
			log.FromContext(ctx).V(1).Info("Cannot tell why an image failed", "imagePullJob", child.Name, "node", node, "reason", err.Error())
		} else {
			reason = failureReason(nodeImage, child)
		}
		if reason == "" {
			reason = oneLine(fmt.Sprintf("see kubectl get nodeimage %s -o yaml", node))
		}
		reasons[child.Name] = reason
	}
	return reasons
}

// failureReason returns what a node reports of the pull for a child; "" if it reports on another pull of the same image.
func failureReason(nodeImage *kruisev1alpha1.NodeImage, child *kruisev1alpha1.ImagePullJob) string {
	key := keyOf(child.Spec.Image)
	for _, spec := range nodeImage.Spec.Images[key.Name].Tags {
		if spec.Tag != key.Tag || !ownedBy(&spec, child.UID) {
			continue
		}
		for _, status := range nodeImage.Status.ImageStatuses[key.Name].Tags {
			if status.Tag == key.Tag && status.Version == spec.Version && status.Phase == kruisev1alpha1.ImagePhaseFailed {
				return oneLine(wrapping.ReplaceAllString(status.Message, ""))
			}
		}
	}
	return ""
}

func ownedBy(tag *kruisev1alpha1.ImageTagSpec, uid types.UID) bool {
	for i := range tag.OwnerReferences {
		if tag.OwnerReferences[i].UID == uid {
			return true
		}
	}
	return false
}

// oneLine makes a message fit for the list of failed images.
func oneLine(message string) string {
	return shorten(message, maxMessage)
}
