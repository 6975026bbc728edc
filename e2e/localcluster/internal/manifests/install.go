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

package manifests

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Install creates everything in an empty cluster, and returns when the CRDs are served.
func (s Source) Install(ctx context.Context, c client.Client) error {
	// What others are created in, or bound to, comes first.
	var crds []*unstructured.Unstructured
	for _, step := range []func() ([]*unstructured.Unstructured, error){s.CRDs, s.Namespaces, s.Identities, s.Webhooks} {
		objects, err := step()
		if err != nil {
			return err
		}
		if crds == nil {
			crds = objects
		}
		if err := create(ctx, c, objects); err != nil {
			return err
		}
	}
	return waitEstablished(ctx, c, crds)
}

// create creates objects a few at a time; that is what the apiserver's time goes to when a cluster is installed.
func create(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, object := range objects {
		group.Go(func() error {
			if err := c.Create(ctx, object); err != nil {
				return fmt.Errorf("install %s %s: %w", object.GetKind(), object.GetName(), err)
			}
			return nil
		})
	}
	return group.Wait()
}

var errNotEstablished = errors.New("it is not established")

func waitEstablished(ctx context.Context, c client.Client, crds []*unstructured.Unstructured) error {
	for _, crd := range crds {
		last := errNotEstablished
		err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
			last = c.Get(ctx, client.ObjectKeyFromObject(crd), crd)
			if last == nil && !established(crd) {
				last = errNotEstablished
			}
			return last == nil, nil
		})
		if err != nil {
			return fmt.Errorf("the CRD %s is not served (%w): %w", crd.GetName(), err, last)
		}
	}
	return nil
}

func established(object *unstructured.Unstructured) bool {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, crd); err != nil {
		return false
	}
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.Established {
			return condition.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}
