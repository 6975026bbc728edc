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

// Package framework is what the e2e specs share: a namespace for each spec, a tester for each kind, matchers whose failures show the
// whole status, and a report of a failed spec from which the cause can be read without the cluster.
package framework

import (
	"context"
	"os"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/e2e/fakenodes"
	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

const (
	// Patience is how long the cluster may take for anything that a spec waits for.
	Patience = 90 * time.Second
	// Poll is how often a spec looks.
	Poll = 200 * time.Millisecond
	// Calm is how long nothing may happen before a spec believes that nothing will.
	Calm = 3 * time.Second
)

// Framework is the cluster as one spec sees it.
type Framework struct {
	client.Client
	// Config is how the cluster is reached; copy it before you change it.
	Config *rest.Config
	// Namespace is made for the spec, and deleted after it.
	Namespace string
	// Registry is the one that the nodes pull from, as E2E_REGISTRY names it.
	Registry *registry.Client

	Jobs          Jobs
	ImagePullJobs ImagePullJobs
	NodeImages    NodeImages
	Secrets       Secrets

	logs logs
}

// New sets up a Framework for each spec of the container that it is called in.
func New() *Framework {
	f := &Framework{}
	BeforeEach(func(ctx SpecContext) {
		f.connect()
		f.makeNamespace(ctx)
	})
	// Before anything of the spec is cleaned up.
	JustAfterEach(f.dumpIfFailed)
	return f
}

// NewForReading is New for specs that leave nothing in the cluster, because all they ask for is read or a dry run. Their
// namespace is the cluster's default one, since many small specs would keep the namespace controller busy for long.
func NewForReading() *Framework {
	f := &Framework{}
	BeforeEach(func() {
		f.connect()
		f.Namespace = metav1.NamespaceDefault
	})
	JustAfterEach(f.dumpIfFailed)
	return f
}

func (f *Framework) connect() {
	GinkgoHelper()
	// Else an Eventually that has a context waits for as long as the suite lasts.
	EnforceDefaultTimeoutsWhenUsingContexts()
	SetDefaultEventuallyTimeout(Patience)
	SetDefaultEventuallyPollingInterval(Poll)
	SetDefaultConsistentlyDuration(Calm)
	SetDefaultConsistentlyPollingInterval(Poll)

	c, err := connection()
	Expect(err).NotTo(HaveOccurred())
	f.Client, f.Config = c.client, c.config
	f.Jobs = Jobs{Tester[*v1alpha1.ImageListPullJob]{f.Client}}
	f.ImagePullJobs = ImagePullJobs{Tester[*kruisev1alpha1.ImagePullJob]{f.Client}}
	f.NodeImages = NodeImages{Tester[*kruisev1alpha1.NodeImage]{f.Client}}
	f.Secrets = Secrets{Tester[*corev1.Secret]{f.Client}}
	url := os.Getenv("E2E_REGISTRY")
	if url == "" && slices.Contains(CurrentSpecReport().Labels(), NeedsRegistry[0]) {
		Fail("E2E_REGISTRY must be the URL of the registry that the nodes pull from, see e2e/cmd/registry")
	}
	f.Registry = registry.NewClient(url)
	f.logs = startLogs(f.Config)
}

func (f *Framework) makeNamespace(ctx context.Context) {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: map[string]string{ofSuite: ""}}}
	Expect(f.Create(ctx, namespace)).To(Succeed())
	f.Namespace = namespace.Name
	DeferCleanup(func(ctx SpecContext) {
		Expect(client.IgnoreNotFound(f.Delete(ctx, namespace))).To(Succeed())
	})
}

// NodeNames returns the names of all nodes that are not fake.
func (f *Framework) NodeNames(ctx context.Context) []string {
	GinkgoHelper()
	nodes := &corev1.NodeList{}
	Expect(f.List(ctx, nodes, fakenodes.Real())).To(Succeed())
	names := make([]string, len(nodes.Items))
	for i := range nodes.Items {
		names[i] = nodes.Items[i].Name
	}
	return names
}
