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
	"errors"
	"os"
	"sync"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// Scheme holds the kinds that specs work with.
var Scheme = newScheme()

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	// Not by kruise-api's own function, which would bring another Go type for ImageListPullJob.
	scheme.AddKnownTypes(v1alpha1.GroupVersion,
		&kruisev1alpha1.ImagePullJob{}, &kruisev1alpha1.ImagePullJobList{},
		&kruisev1alpha1.NodeImage{}, &kruisev1alpha1.NodeImageList{})
	return scheme
}

type clusterConnection struct {
	config *rest.Config
	client client.Client
}

// connection is made once in a process, so that the cluster's kinds are discovered once.
var connection = sync.OnceValues(func() (clusterConnection, error) {
	path := os.Getenv("KUBECONFIG")
	if path == "" {
		return clusterConnection{}, errors.New("KUBECONFIG must name the cluster to test; make e2e starts one")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return clusterConnection{}, err
	}
	config.QPS, config.Burst = 100, 200       // specs poll, and are not what is tested
	config.WarningHandler = rest.NoWarnings{} // specs that want warnings ask for them
	c, err := client.New(config, client.Options{Scheme: Scheme})
	return clusterConnection{config, c}, err
})

// As returns a client that acts as another user, who has nothing but what roles give them.
func (f *Framework) As(user string) (client.WithWatch, error) {
	config := rest.CopyConfig(f.Config)
	config.Impersonate.UserName = user
	return client.NewWithWatch(config, client.Options{Scheme: Scheme})
}

// WarningsOf returns what the API server warned of when it was asked something.
func (f *Framework) WarningsOf(ask func(client.Client) error) ([]string, error) {
	warnings := &warnings{}
	config := rest.CopyConfig(f.Config)
	config.WarningHandler = warnings
	c, err := client.New(config, client.Options{Scheme: Scheme})
	if err != nil {
		return nil, err
	}
	err = ask(c)
	return *warnings, err
}

// warnings are collected one request after the other.
type warnings []string

// HandleWarningHeader implements rest.WarningHandler. Code 299 is the only one that API servers send.
func (w *warnings) HandleWarningHeader(code int, _, text string) {
	if code == 299 {
		*w = append(*w, text)
	}
}
