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

package imagelistpulljob

import (
	"fmt"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// +kubebuilder:rbac:groups=apps.kruise.io,resources=imagelistpulljobs,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=apps.kruise.io,resources=imagelistpulljobs/status,verbs=update
// +kubebuilder:rbac:groups=apps.kruise.io,resources=imagelistpulljobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps.kruise.io,resources=imagepulljobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=apps.kruise.io,resources=nodeimages,verbs=get
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch

// Add adds the ImageListPullJob controller to mgr with the default Options. It may be called before or after the manager has
// started. The error is a plain *meta.NoKindMatchError when the API server does not serve ImageListPullJob or ImagePullJob.
func Add(mgr manager.Manager) error {
	return AddWithOptions(mgr, Options{})
}

// AddWithOptions is Add with Options.
func AddWithOptions(mgr manager.Manager, opts Options) error {
	opts = opts.withDefaults()
	if !opts.Enabled() {
		opts.ready.never()
		return nil
	}
	if err := requireKinds(mgr.GetRESTMapper()); err != nil {
		if meta.IsNoMatchError(err) {
			opts.ready.never()
		}
		return err
	}
	logMissingFields(mgr)

	own, err := newCluster(mgr, opts.Namespaces)
	if err != nil {
		return fmt.Errorf("create the cluster of %s: %w", opts.Name, err)
	}
	// Before the controller: in a running manager that starts at once, and while it waits for the first watch to sync it lets nobody
	// add the second.
	if err := mgr.Add(own); err != nil {
		return fmt.Errorf("add the cluster of %s: %w", opts.Name, err)
	}
	c, err := controller.New(opts.Name, mgr, controller.Options{
		Reconciler:              newReconciler(own, opts),
		MaxConcurrentReconciles: opts.MaxConcurrentReconciles,
		RecoverPanic:            ptr.To(true),
	})
	if err != nil {
		return fmt.Errorf("create controller %s: %w", opts.Name, err)
	}
	if err := watch(c, own); err != nil {
		return fmt.Errorf("watch for %s: %w", opts.Name, err)
	}
	opts.ready.when(own.GetCache().WaitForCacheSync)
	return nil
}

func newReconciler(own cluster.Cluster, opts Options) *reconciler {
	return &reconciler{
		client:         client.WithFieldOwner(own.GetClient(), opts.Name),
		live:           own.GetAPIReader(),
		recorder:       own.GetEventRecorderFor(opts.Name),
		clock:          clock.RealClock{},
		statusInterval: opts.StatusInterval,
	}
}

// requireKinds returns a *meta.NoKindMatchError if a kind that the controller watches is not served: hosts tell it by its type.
func requireKinds(mapper meta.RESTMapper) error {
	for _, gvk := range []schema.GroupVersionKind{
		v1alpha1.GroupVersion.WithKind("ImageListPullJob"),
		kruisev1alpha1.GroupVersion.WithKind("ImagePullJob"),
	} {
		_, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if meta.IsNoMatchError(err) {
			return &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
		}
		if err != nil {
			return fmt.Errorf("look up %s: %w", gvk.Kind, err)
		}
	}
	return nil
}

func watch(c controller.Controller, own cluster.Cluster) error {
	err := c.Watch(source.Kind(own.GetCache(), &v1alpha1.ImageListPullJob{},
		&handler.TypedEnqueueRequestForObject[*v1alpha1.ImageListPullJob]{}))
	if err != nil {
		return err
	}
	return c.Watch(source.Kind(own.GetCache(), &kruisev1alpha1.ImagePullJob{},
		handler.TypedEnqueueRequestForOwner[*kruisev1alpha1.ImagePullJob](own.GetScheme(), own.GetRESTMapper(),
			&v1alpha1.ImageListPullJob{}, handler.OnlyControllerOwner())))
}
