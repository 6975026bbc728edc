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

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Tester does to objects of one kind what specs do to them. What the API refuses fails the spec.
type Tester[T client.Object] struct {
	client client.Client
}

// Create creates the object, and returns it.
func (t Tester[T]) Create(ctx context.Context, obj T) T {
	GinkgoHelper()
	Expect(t.client.Create(ctx, obj)).To(Succeed())
	return obj
}

// Reload reads the object again, and returns it.
func (t Tester[T]) Reload(ctx context.Context, obj T) T {
	GinkgoHelper()
	Expect(t.client.Get(ctx, client.ObjectKeyFromObject(obj), obj)).To(Succeed())
	return obj
}

// Update changes of the stored object what the function changes of obj, whatever others have changed since it was read.
func (t Tester[T]) Update(ctx context.Context, obj T, change func(T)) {
	GinkgoHelper()
	patch := client.MergeFrom(obj.DeepCopyObject().(T))
	change(obj)
	Expect(t.client.Patch(ctx, obj, patch)).To(Succeed())
}

// Release takes the finalizers off the object, if it is still there.
func (t Tester[T]) Release(ctx context.Context, obj T) {
	GinkgoHelper()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
	Expect(client.IgnoreNotFound(t.client.Patch(ctx, obj, patch))).To(Succeed())
}

// Delete deletes the object, as told by options such as client.PropagationPolicy. It need not be there.
func (t Tester[T]) Delete(ctx context.Context, obj T, opts ...client.DeleteOption) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(t.client.Delete(ctx, obj, opts...))).To(Succeed())
}

// Eventually reads the object again and again until a matcher is content. obj is then what the matcher saw.
func (t Tester[T]) Eventually(ctx context.Context, obj T) AsyncAssertion {
	GinkgoHelper()
	return Eventually(t.read).WithContext(ctx).WithArguments(obj)
}

// Consistently reads the object again and again, and wants the matcher to be content each time.
func (t Tester[T]) Consistently(ctx context.Context, obj T) AsyncAssertion {
	GinkgoHelper()
	return Consistently(t.read).WithContext(ctx).WithArguments(obj)
}

// EventuallyGone waits until the object, and not only one of its name, is gone.
func (t Tester[T]) EventuallyGone(ctx context.Context, obj T) {
	GinkgoHelper()
	Eventually(func(ctx context.Context) error {
		found := obj.DeepCopyObject().(T)
		err := t.client.Get(ctx, client.ObjectKeyFromObject(obj), found)
		switch {
		case apierrors.IsNotFound(err) || err == nil && found.GetUID() != obj.GetUID():
			return nil
		case err != nil:
			return err
		default:
			return fmt.Errorf("it is still there:\n%s", asYAML(withoutNoise(found)))
		}
	}).WithContext(ctx).Should(Succeed())
}

func (t Tester[T]) read(ctx context.Context, obj T) (T, error) {
	return obj, t.client.Get(ctx, client.ObjectKeyFromObject(obj), obj)
}
