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
	"context"
	"fmt"
	"regexp"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// maxReasonReads is how many NodeImages are read in one reconcile to learn why images failed.
const maxReasonReads = 10

var (
	// wrapping is what kruise-daemon, gRPC and containerd put before what went wrong; the status names the image anyway.
	wrapping = regexp.MustCompile(`^(?i:failed to pull (?:image reference|and unpack image) "[^"]*": |rpc error: code = \w+ desc = )+`)
	// timedOut is how gRPC and kruise-daemon, whichever is first, report that pullPolicy.timeoutSeconds passed.
	timedOut = regexp.MustCompile(`code = DeadlineExceeded|^pulling image \S+ is canceled$`)
)

// unexplained lists, in list order, the children whose failure the status has room to explain, and does not yet.
func unexplained(job *v1alpha1.ImageListPullJob, children []*kruisev1alpha1.ImagePullJob) ([]*kruisev1alpha1.ImagePullJob, error) {
	if job.Status.CompletionTime != nil || job.DeletionTimestamp != nil {
		return nil, nil
	}
	failed := make(map[string]*kruisev1alpha1.ImagePullJob)
	for _, child := range children {
		if child.Status.Failed > 0 {
			failed[child.Name] = child
		}
	}
	if len(failed) == 0 {
		return nil, nil
	}
	images, err := wantedImages(job)
	if err != nil {
		return nil, err
	}
	states, _ := matchChildren(images, children)
	shown, _ := boundFailures(summarise(job, states, nil, time.Time{}).failed)
	var all []*kruisev1alpha1.ImagePullJob
	for i := range shown {
		if child := failed[shown[i].Name]; child != nil && shown[i].Message == "" && len(shown[i].FailedNodes) > 0 {
			all = append(all, child)
		}
	}
	return all, nil
}

// reasons says why images failed, by name of the child, and whether some are left for the next reconcile. What was read is kept
// until the status tells it: that may be held back for a while.
func (r *reconciler) reasons(
	ctx context.Context, job *v1alpha1.ImageListPullJob, failures []*kruisev1alpha1.ImagePullJob,
) (reasons map[string]string, more bool) {
	memory := r.memories.of(client.ObjectKeyFromObject(job))
	known := memory.explained()
	reasons = make(map[string]string, len(failures))
	reads := 0
	for _, child := range failures {
		reason, ok := known[child.Name]
		if !ok && reads == maxReasonReads {
			more = true
			continue
		}
		if !ok {
			reads++
			reason = readReason(ctx, r.live, child)
		}
		reasons[child.Name] = reason
	}
	memory.explain(reasons)
	return reasons, more
}

// readReason asks one failed node why. That its NodeImage cannot be read keeps nothing else from working: the reason then says
// where to look.
func readReason(ctx context.Context, live client.Reader, child *kruisev1alpha1.ImagePullJob) string {
	node := child.Status.FailedNodes[0]
	nodeImage := &kruisev1alpha1.NodeImage{}
	if err := live.Get(ctx, types.NamespacedName{Name: node}, nodeImage); err != nil {
		log.FromContext(ctx).V(1).Info("Cannot tell why an image failed", "imagePullJob", child.Name, "node", node, "reason", err.Error())
	} else if reason := failureReason(nodeImage, child); reason != "" {
		return reason
	}
	return oneLine(fmt.Sprintf("see kubectl get nodeimage %s -o yaml", node))
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
				return oneLine(causeOf(status.Message))
			}
		}
	}
	return ""
}

// causeOf returns what went wrong, of what a node reports.
func causeOf(message string) string {
	cause := wrapping.ReplaceAllString(message, "")
	if timedOut.MatchString(message) {
		return "timed out: " + cause
	}
	return cause
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
