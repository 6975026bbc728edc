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

package main

import (
	"slices"
	"testing"

	appsv1alpha1 "github.com/openkruise/kruise/apis/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestIndexValues(t *testing.T) {
	now := metav1.Now()
	tests := map[string]struct {
		index  client.IndexerFunc
		object client.Object
		want   []string
	}{
		"a new job is active": {activeIndex, &appsv1alpha1.ImagePullJob{}, []string{"true"}},
		"a finished job is not": {activeIndex, &appsv1alpha1.ImagePullJob{
			Status: appsv1alpha1.ImagePullJobStatus{CompletionTime: &now}}, []string{"false"}},
		"a job being deleted is not": {activeIndex, &appsv1alpha1.ImagePullJob{
			ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}, []string{"false"}},
		"a job is found by each owner": {ownerIndex, &appsv1alpha1.ImagePullJob{ObjectMeta: metav1.ObjectMeta{
			OwnerReferences: []metav1.OwnerReference{{UID: "a"}, {UID: "b"}}}}, []string{"a", "b"}},
		"a job without owner is not": {ownerIndex, &appsv1alpha1.ImagePullJob{}, nil},
		"a pod is found by its node": {nodeIndex, &corev1.Pod{Spec: corev1.PodSpec{NodeName: "n"}}, []string{"n"}},
		"a pending pod is not":       {nodeIndex, &corev1.Pod{}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.index(tt.object); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
