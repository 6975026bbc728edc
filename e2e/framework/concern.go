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
	"maps"
	"slices"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
)

// concern tells which entries of NodeImages have to do with one spec.
type concern struct {
	namespace string
	images    map[v1alpha1.ImageKey]bool
}

func concernOf(namespace string, jobs []v1alpha1.ImageListPullJob, children []kruisev1alpha1.ImagePullJob) concern {
	c := concern{namespace, map[v1alpha1.ImageKey]bool{}}
	for i := range jobs {
		for _, image := range jobs[i].Spec.Images {
			c.add(image)
		}
		for j := range jobs[i].Spec.ImageOverrides {
			c.add(jobs[i].Spec.ImageOverrides[j].Image)
		}
	}
	for i := range children {
		c.add(children[i].Spec.Image)
	}
	return c
}

func (c concern) add(image string) {
	if key, err := v1alpha1.ParseImageKey(image); err == nil {
		c.images[key] = true
	}
}

// names returns, sorted, the names under which logs mention the images.
func (c concern) names() []string {
	names := map[string]bool{}
	for key := range c.images {
		names[key.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// pruned returns, the real nodes first, the NodeImages with no more in them than these jobs are about, without the fake nodes of others.
func (c concern) pruned(all []kruisev1alpha1.NodeImage) []*kruisev1alpha1.NodeImage {
	var ofReal, ofFake []*kruisev1alpha1.NodeImage
	for i := range all {
		n := &all[i]
		c.prune(n)
		switch {
		case n.Labels[fakenodes.Label] == "":
			ofReal = append(ofReal, n)
		case len(n.Spec.Images)+len(n.Status.ImageStatuses) > 0:
			ofFake = append(ofFake, n)
		}
	}
	return append(ofReal, ofFake...)
}

// prune leaves of a NodeImage the images of the jobs, and what else jobs of the namespace have asked for.
func (c concern) prune(n *kruisev1alpha1.NodeImage) {
	for name, spec := range n.Spec.Images {
		spec.Tags = slices.DeleteFunc(spec.Tags, func(tag kruisev1alpha1.ImageTagSpec) bool {
			return !c.images[v1alpha1.ImageKey{Name: name, Tag: tag.Tag}] && !c.owns(&tag)
		})
		if n.Spec.Images[name] = spec; len(spec.Tags) == 0 {
			delete(n.Spec.Images, name)
		}
	}
	for name, status := range n.Status.ImageStatuses {
		status.Tags = slices.DeleteFunc(status.Tags, func(tag kruisev1alpha1.ImageTagStatus) bool {
			return !slices.ContainsFunc(n.Spec.Images[name].Tags, func(spec kruisev1alpha1.ImageTagSpec) bool { return spec.Tag == tag.Tag }) &&
				!c.images[v1alpha1.ImageKey{Name: name, Tag: tag.Tag}]
		})
		if n.Status.ImageStatuses[name] = status; len(status.Tags) == 0 {
			delete(n.Status.ImageStatuses, name)
		}
	}
}

func (c concern) owns(tag *kruisev1alpha1.ImageTagSpec) bool {
	for i := range tag.OwnerReferences {
		if tag.OwnerReferences[i].Namespace == c.namespace {
			return true
		}
	}
	return false
}
