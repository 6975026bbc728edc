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
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// maxEntry bounds an entry of the report, in bytes.
const maxEntry = 64 << 10

// dumpIfFailed adds to the report of a failed spec what somebody without the cluster needs to find out why.
func (f *Framework) dumpIfFailed(ctx SpecContext) {
	if !CurrentSpecReport().Failed() || f.Client == nil {
		return
	}
	jobs := &v1alpha1.ImageListPullJobList{}
	children := &kruisev1alpha1.ImagePullJobList{}
	nodeImages := &kruisev1alpha1.NodeImageList{}
	inNamespace := client.InNamespace(f.Namespace)
	for _, list := range []client.ObjectList{jobs, children} {
		if err := f.List(ctx, list, inNamespace); err != nil {
			AddReportEntry(fmt.Sprintf("%T", list), "cannot be read: "+err.Error())
		}
	}
	f.report(ctx, "ImageListPullJobs", func(context.Context) (string, error) { return texts(pointers(jobs.Items)), nil })
	f.report(ctx, "ImagePullJobs", func(context.Context) (string, error) { return texts(pointers(children.Items)), nil })
	concerned := concernOf(f.Namespace, jobs.Items, children.Items)
	f.report(ctx, "NodeImages", func(ctx context.Context) (string, error) {
		err := f.List(ctx, nodeImages)
		return texts(concerned.pruned(nodeImages.Items)), err
	})
	f.report(ctx, "Events", f.eventTable)
	f.logs.report(ctx, f, append(concerned.names(), f.Namespace))
}

func (f *Framework) report(ctx context.Context, name string, read func(context.Context) (string, error)) {
	text, err := read(ctx)
	if err != nil {
		text = "cannot be read: " + err.Error()
	}
	if text == "" {
		text = "(none)"
	}
	if more := len(text) - maxEntry; more > 0 {
		text = fmt.Sprintf("%s\n(and %d bytes more)", text[:maxEntry], more)
	}
	AddReportEntry(fmt.Sprintf("%s (namespace %s)", name, f.Namespace), text)
}

func (f *Framework) eventTable(ctx context.Context) (string, error) {
	events, err := f.events(ctx)
	var table strings.Builder
	for i := range events {
		e := &events[i]
		_, _ = fmt.Fprintf(&table, "%s  %s  %s/%s  x%d  %s: %s\n", lastSeen(e).UTC().Format(time.TimeOnly), e.Type,
			e.InvolvedObject.Kind, e.InvolvedObject.Name, max(e.Count, 1), e.Reason, e.Message)
	}
	return table.String(), err
}

// withoutNoise returns a copy without what only machines read.
func withoutNoise[T client.Object](obj T) T {
	obj = obj.DeepCopyObject().(T)
	obj.SetManagedFields(nil)
	return obj
}

func texts[T client.Object](objects []T) string {
	all := make([]string, 0, len(objects))
	for _, obj := range objects {
		all = append(all, asYAML(withoutNoise(obj)))
	}
	return strings.Join(all, "---\n")
}

func pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

func asYAML(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%+v (%v)", value, err)
	}
	return string(text)
}
