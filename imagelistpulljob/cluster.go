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
	"context"
	"net/http"
	"slices"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// controllerUIDIndex indexes ImagePullJobs by the UID of their controller.
const controllerUIDIndex = "metadata.controllerUID"

// newScheme returns a scheme with the kinds of the plugin and no other. The scheme of the host is never touched: it may hold
// other Go types for these kinds, and registering a second one panics.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	// Not kruise-api's AddToScheme: it holds an ImageListPullJob of its own.
	scheme.AddKnownTypes(kruisev1alpha1.GroupVersion,
		&kruisev1alpha1.ImagePullJob{}, &kruisev1alpha1.ImagePullJobList{},
		&kruisev1alpha1.NodeImage{}, &kruisev1alpha1.NodeImageList{})
	metav1.AddToGroupVersion(scheme, kruisev1alpha1.GroupVersion)
	return scheme, nil
}

// newCluster returns a cluster on the connection of the manager, with the plugin's own scheme and cache.
func newCluster(mgr manager.Manager, namespaces []string) (cluster.Cluster, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	ownCache, err := cacheOptions(namespaces)
	if err != nil {
		return nil, err
	}
	own, err := cluster.New(mgr.GetConfig(), func(o *cluster.Options) {
		o.Scheme = scheme
		o.HTTPClient = mgr.GetHTTPClient()
		o.MapperProvider = func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return mgr.GetRESTMapper(), nil }
		o.Logger = mgr.GetLogger()
		o.Cache = ownCache
	})
	if err != nil {
		return nil, err
	}
	return own, own.GetFieldIndexer().IndexField(context.Background(), &kruisev1alpha1.ImagePullJob{}, controllerUIDIndex, controllerUID)
}

// cacheOptions keeps of the ImagePullJobs only those with the label key that our children and those of Kruise's own controller
// carry.
func cacheOptions(namespaces []string) (cache.Options, error) {
	revision, err := labels.NewRequirement(appsv1.ControllerRevisionHashLabelKey, selection.Exists, nil)
	if err != nil {
		return cache.Options{}, err
	}
	opts := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&kruisev1alpha1.ImagePullJob{}: {
				Label:     labels.NewSelector().Add(*revision),
				Transform: stripImagePullJob,
			},
		},
	}
	if len(namespaces) > 0 {
		opts.DefaultNamespaces = make(map[string]cache.Config, len(namespaces))
		for _, namespace := range namespaces {
			opts.DefaultNamespaces[namespace] = cache.Config{}
		}
	}
	return opts, nil
}

// stripImagePullJob drops what the plan never reads: of the failed nodes all but the names that the status can show, and of a
// child that carries its intent in our annotations the spec but for the image.
func stripImagePullJob(obj any) (any, error) {
	child, ok := obj.(*kruisev1alpha1.ImagePullJob)
	if !ok {
		return obj, nil // a tombstone
	}
	child.ManagedFields = nil
	slices.Sort(child.Status.FailedNodes)
	if len(child.Status.FailedNodes) > maxFailedNodes {
		child.Status.FailedNodes = slices.Clone(child.Status.FailedNodes[:maxFailedNodes])
	}
	if child.Annotations[templateHashAnnotation] != "" {
		child.Spec = kruisev1alpha1.ImagePullJobSpec{Image: child.Spec.Image}
	}
	return child, nil
}

func controllerUID(obj client.Object) []string {
	if owner := metav1.GetControllerOf(obj); owner != nil {
		return []string{string(owner.UID)}
	}
	return nil
}
