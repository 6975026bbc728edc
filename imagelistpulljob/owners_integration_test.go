//go:build integration

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

package imagelistpulljob_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// apply is kubectl apply --server-side by one of several owners of a job.
func (c *cluster) apply(owner, spec string) error {
	c.Helper()
	job := &unstructured.Unstructured{}
	manifest := "{apiVersion: apps.kruise.io/v1alpha1, kind: ImageListPullJob, metadata: {name: job, namespace: " + c.namespace + "}, spec: " + spec + "}"
	if err := yaml.Unmarshal([]byte(manifest), &job.Object); err != nil {
		c.Fatal(err)
	}
	return c.Patch(context.Background(), job, client.Apply, client.FieldOwner(owner))
}

// Two owners of one job, each of which applies its part and does not know the other's.
func TestServerSideApplyByTwoOwners(t *testing.T) {
	c := newCluster(t)
	job := c.newJob()
	for _, step := range []struct {
		name, owner, spec string
		// want is the whole spec afterwards; wantConflict: refused, and as it was.
		want         string
		wantConflict bool
	}{
		{
			name: "the first", owner: "platform",
			spec: `{images: [a, b], pullSecrets: [s1], selector: {names: [n1]}, parallelism: 5, imagePullJobTemplate: [{image: a, parallelism: 1}]}`,
			want: `{images: [a, b], pullSecrets: [s1], selector: {names: [n1]}, parallelism: 5, imagePullJobTemplate: [{image: a, parallelism: 1}]}`,
		},
		{
			name: "the second adds to every list", owner: "team",
			spec: `{images: [c], pullSecrets: [s2], selector: {names: [n2]}, imagePullJobTemplate: [{image: c, parallelism: 2}]}`,
			want: `{images: [a, b, c], pullSecrets: [s1, s2], selector: {names: [n1, n2]}, parallelism: 5,
				imagePullJobTemplate: [{image: a, parallelism: 1}, {image: c, parallelism: 2}]}`,
		},
		{
			name: "the second overrides another field of the same image", owner: "team",
			spec: `{images: [c], imagePullJobTemplate: [{image: a, pullPolicy: {backoffLimit: 9}}]}`,
			want: `{images: [a, b, c], pullSecrets: [s1], selector: {names: [n1]}, parallelism: 5,
				imagePullJobTemplate: [{image: a, parallelism: 1, pullPolicy: {backoffLimit: 9}}]}`,
		},
		{
			name: "the second wants what is the first's", owner: "team",
			spec:         `{images: [c], parallelism: 6, imagePullJobTemplate: [{image: a, pullPolicy: {backoffLimit: 9}}]}`,
			wantConflict: true,
		},
		{
			name: "the first takes its part back, and an image that both want stays", owner: "platform",
			spec: `{images: [a, c]}`,
			want: `{images: [a, c], imagePullJobTemplate: [{image: a, pullPolicy: {backoffLimit: 9}}]}`,
		},
		{
			name: "the first wants nothing any more", owner: "platform",
			spec: `{}`,
			want: `{images: [c], imagePullJobTemplate: [{image: a, pullPolicy: {backoffLimit: 9}}]}`,
		},
	} {
		before := job.Spec.DeepCopy()
		err := c.apply(step.owner, step.spec)
		if apierrors.IsConflict(err) != step.wantConflict || err != nil && !step.wantConflict {
			t.Fatalf("%s: error %v, want a conflict: %t", step.name, err, step.wantConflict)
		}
		want := before
		if !step.wantConflict {
			want = &v1alpha1.ImageListPullJobSpec{}
			if err := yaml.Unmarshal([]byte(step.want), want); err != nil {
				t.Fatal(err)
			}
		}
		job = c.newJob()
		if diff := cmp.Diff(want, &c.reload(job).Spec); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}
