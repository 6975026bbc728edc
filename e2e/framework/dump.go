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

	. "github.com/onsi/ginkgo/v2"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// dump adds to the report what a person needs to find out why a spec failed.
func (f *Framework) dump(ctx context.Context) {
	for name, list := range map[string]client.ObjectList{
		"ImageListPullJobs": &v1alpha1.ImageListPullJobList{},
		"ImagePullJobs":     &kruisev1alpha1.ImagePullJobList{},
		"Events":            &corev1.EventList{},
	} {
		f.dumpList(ctx, name, list, client.InNamespace(f.Namespace))
	}
	f.dumpList(ctx, "NodeImages", &kruisev1alpha1.NodeImageList{})
}

func (f *Framework) dumpList(ctx context.Context, name string, list client.ObjectList, opts ...client.ListOption) {
	if err := f.List(ctx, list, opts...); err != nil {
		AddReportEntry(name, "cannot be read: "+err.Error())
		return
	}
	text, err := yaml.Marshal(list)
	if err != nil {
		AddReportEntry(name, "cannot be shown: "+err.Error())
		return
	}
	AddReportEntry(name, string(text))
}
