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
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Events returns the events on an object, oldest first, as "<type> <reason>: <message>".
func (f *Framework) Events(ctx context.Context, obj client.Object) ([]string, error) {
	events, err := f.events(ctx)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, event := range events {
		if event.InvolvedObject.UID == obj.GetUID() {
			texts = append(texts, fmt.Sprintf("%s %s: %s", event.Type, event.Reason, event.Message))
		}
	}
	return texts, nil
}

// events returns those of the namespace, oldest first.
func (f *Framework) events(ctx context.Context) ([]corev1.Event, error) {
	list := &corev1.EventList{}
	if err := f.List(ctx, list, client.InNamespace(f.Namespace)); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list.Items, func(a, b corev1.Event) int {
		return cmp.Or(lastSeen(&a).Compare(lastSeen(&b)), cmp.Compare(a.Name, b.Name))
	})
	return list.Items, nil
}

// lastSeen copes with both ways in which clients record events.
func lastSeen(event *corev1.Event) time.Time {
	switch {
	case !event.LastTimestamp.IsZero():
		return event.LastTimestamp.Time
	case event.Series != nil:
		return event.Series.LastObservedTime.Time
	default:
		return event.EventTime.Time
	}
}
