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
	"context"
	"fmt"
	"strconv"

	appsv1alpha1 "github.com/openkruise/kruise/apis/apps/v1alpha1"
	"github.com/openkruise/kruise/pkg/util/fieldindex"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// addIndexes adds the indexes that Kruise's three image controllers query, under Kruise's names. Kruise's own
// registration also indexes kinds that nothing here reads, and holds up the start by 15 seconds for each of them
// whose CRD is absent.
func addIndexes(indexer client.FieldIndexer) error {
	for _, index := range []struct {
		object client.Object
		name   string
		values client.IndexerFunc
	}{
		{&appsv1alpha1.ImagePullJob{}, fieldindex.IndexNameForIsActive, activeIndex},
		{&appsv1alpha1.ImagePullJob{}, fieldindex.IndexNameForOwnerRefUID, ownerIndex},
		{&corev1.Pod{}, fieldindex.IndexNameForPodNodeName, nodeIndex},
	} {
		if err := indexer.IndexField(context.Background(), index.object, index.name, index.values); err != nil {
			return fmt.Errorf("index %T by %s: %w", index.object, index.name, err)
		}
	}
	return nil
}

func activeIndex(o client.Object) []string {
	job, ok := o.(*appsv1alpha1.ImagePullJob)
	if !ok {
		return nil
	}
	return []string{strconv.FormatBool(job.DeletionTimestamp.IsZero() && job.Status.CompletionTime.IsZero())}
}

func ownerIndex(o client.Object) []string {
	var uids []string
	for _, owner := range o.GetOwnerReferences() {
		uids = append(uids, string(owner.UID))
	}
	return uids
}

func nodeIndex(o client.Object) []string {
	pod, ok := o.(*corev1.Pod)
	if !ok || pod.Spec.NodeName == "" {
		return nil
	}
	return []string{pod.Spec.NodeName}
}
