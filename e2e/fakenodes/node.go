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

package fakenodes

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Label is on every fake node, and so on its NodeImage; its value tells whose node it is.
const Label = "e2e.imagelistpulljobs.kruise.io/fake-node"

const (
	// heartbeat is how often a fake node renews its lease; a node lifecycle controller waits for 40 s at least.
	heartbeat = 10 * time.Second
	// leases is the namespace where node lifecycle controllers look for them.
	leases = "kube-node-lease"
)

// RealNodes selects the nodes that are not fake.
func RealNodes() *v1alpha1.ImagePullJobNodeSelector {
	return &v1alpha1.ImagePullJobNodeSelector{LabelSelector: v1alpha1.LabelSelector{
		MatchExpressions: []v1alpha1.LabelSelectorRequirement{{Key: Label, Operator: metav1.LabelSelectorOpDoesNotExist}},
	}}
}

// Real restricts a list of Nodes, or of NodeImages, to those that are not fake.
func Real() client.ListOption {
	notLabelled, err := labels.NewRequirement(Label, selection.DoesNotExist, nil)
	utilruntime.Must(err) // the label is a valid one
	return client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*notLabelled)}
}

// newNode returns a Node that is ready. It has been for a while, since Kruise may wait some time before it makes a NodeImage.
func newNode(name, set string, now time.Time) *corev1.Node {
	since := metav1.NewTime(now.Add(-time.Hour))
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{Label: set}},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: Label, Value: set, Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: since, LastHeartbeatTime: metav1.NewTime(now),
			Reason: "FakeNode", Message: "this node exists in the API alone",
		}}},
	}
}

// newLease returns the Lease of a node, which goes when the node does.
func newLease(node *corev1.Node, now time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: leases, Name: node.Name, Labels: node.Labels,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       ptr.To(node.Name),
			LeaseDurationSeconds: ptr.To(int32(4 * heartbeat / time.Second)),
			RenewTime:            &metav1.MicroTime{Time: now},
		},
	}
}
