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
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	kruisev1alpha1 "github.com/openkruise/kruise-api/apps/v1alpha1"
	kruiseclient "github.com/openkruise/kruise-api/client/clientset/versioned"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlcluster "sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
	"github.com/openkruise/imagelistpulljob/imagelistpulljob"
)

const (
	// patience is how long anything may take before a test fails.
	patience = 30 * time.Second
	poll     = 50 * time.Millisecond
)

var (
	ourCRD    = filepath.Join("..", "config", "crd", "bases")
	kruiseCRD = filepath.Join("testdata", "crd")
)

// admin reaches the real API server that all tests share.
var admin *rest.Config

func TestMain(m *testing.M) {
	env := &envtest.Environment{CRDDirectoryPaths: []string{ourCRD, kruiseCRD}, ErrorIfCRDPathMissing: true}
	// Like strict clusters: an owner may block deletion only for those who may set its finalizers.
	env.ControlPlane.GetAPIServer().Configure().Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
	os.Exit(func() int {
		var err error
		if admin, err = env.Start(); err != nil {
			fmt.Fprintln(os.Stderr, "start etcd and kube-apiserver (KUBEBUILDER_ASSETS names their folder):", err)
			return 1
		}
		defer func() {
			if err := env.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, "stop etcd and kube-apiserver:", err)
			}
		}()
		return m.Run()
	}())
}

// host is a manager whose scheme holds other Go types for our kinds, as Kruise's does.
func newHost(t *testing.T, cfg *rest.Config) manager.Manager {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kruisev1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	mgr, err := manager.New(cfg, manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	return mgr
}

var controllers atomic.Int64

// startController runs a manager and adds the controller once it has started, as Kruise does. The function stops it.
func startController(t *testing.T, cfg *rest.Config) context.CancelFunc {
	t.Helper()
	mgr := newHost(t, cfg)
	stop := run(t, mgr)
	<-mgr.Elected()
	opts := imagelistpulljob.Options{Name: fmt.Sprint("imagelistpulljob-", controllers.Add(1))}
	if err := imagelistpulljob.AddWithOptions(mgr, opts); err != nil {
		t.Fatal(err)
	}
	return stop
}

// run starts a manager. The function, and the end of the test, stop it.
func run(t *testing.T, mgr manager.Manager) context.CancelFunc {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- mgr.Start(ctx) }()
	stop := func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("manager: %v", err)
		}
		stopped <- nil
	}
	t.Cleanup(stop)
	return stop
}

// cluster is what a test sees of the API server: a namespace of its own.
type cluster struct {
	*testing.T
	client.Client
	namespace string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	return newClusterOn(t, admin)
}

func newClusterOn(t *testing.T, cfg *rest.Config) *cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	scheme.AddKnownTypes(v1alpha1.GroupVersion, &kruisev1alpha1.ImagePullJob{}, &kruisev1alpha1.ImagePullJobList{})
	cl, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := cl.Create(context.Background(), ns); err != nil {
		t.Fatal(err)
	}
	return &cluster{T: t, Client: cl, namespace: ns.Name}
}

func (c *cluster) newJob(images ...string) *v1alpha1.ImageListPullJob {
	return &v1alpha1.ImageListPullJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "job"},
		Spec:       v1alpha1.ImageListPullJobSpec{Images: images},
	}
}

func (c *cluster) create(obj client.Object) {
	c.Helper()
	if err := c.Create(context.Background(), obj); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) children() []kruisev1alpha1.ImagePullJob {
	c.Helper()
	list := &kruisev1alpha1.ImagePullJobList{}
	if err := c.List(context.Background(), list, client.InNamespace(c.namespace)); err != nil {
		c.Fatal(err)
	}
	return list.Items
}

func (c *cluster) eventually(what string, done func() bool) {
	c.Helper()
	err := wait.PollUntilContextTimeout(context.Background(), poll, patience, true, func(context.Context) (bool, error) { return done(), nil })
	if err != nil {
		c.Fatalf("%s: not within %s; children: %+v", what, patience, c.children())
	}
}

// finish reports success of every child on two nodes, as the host would.
func (c *cluster) finish() {
	c.Helper()
	for _, child := range c.children() {
		if child.Status.CompletionTime != nil {
			continue
		}
		now := metav1.Now()
		child.Status = kruisev1alpha1.ImagePullJobStatus{StartTime: &now, CompletionTime: &now, Desired: 2, Succeeded: 2}
		if err := c.Status().Update(context.Background(), &child); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			c.Fatal(err)
		}
	}
}

func (c *cluster) reload(job *v1alpha1.ImageListPullJob) *v1alpha1.ImageListPullJob {
	c.Helper()
	if err := c.Get(context.Background(), client.ObjectKeyFromObject(job), job); err != nil {
		c.Fatal(err)
	}
	return job
}

func (c *cluster) finished(job *v1alpha1.ImageListPullJob) bool {
	c.finish()
	return meta.IsStatusConditionTrue(c.reload(job).Status.Conditions, v1alpha1.ConditionFinished)
}

func TestJobRunsToItsEnd(t *testing.T) {
	startController(t, admin)
	c := newCluster(t)
	job := c.newJob("nginx", "busybox:1.35", "httpd:2.4.38")
	c.create(job)
	c.eventually("three children", func() bool { return len(c.children()) == 3 })
	c.eventually("the job finishes", func() bool { return c.finished(job) })
	if got := job.Status; got.Status != "3/3" || got.Desired != 3 || got.ObservedGeneration != job.Generation {
		t.Errorf("status %+v", got)
	}
}

func TestControllerAddedBeforeTheManagerStarts(t *testing.T) {
	mgr := newHost(t, admin)
	opts := imagelistpulljob.Options{Name: fmt.Sprint("imagelistpulljob-", controllers.Add(1))}
	ready := opts.ReadyzCheck()
	if err := imagelistpulljob.AddWithOptions(mgr, opts); err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "/readyz", nil)
	if ready(request) == nil {
		t.Error("ready before the manager has started")
	}
	run(t, mgr)
	c := newCluster(t)
	job := c.newJob("a")
	c.create(job)
	c.eventually("the job finishes", func() bool { return c.finished(job) })
	if err := ready(request); err != nil {
		t.Errorf("not ready: %v", err)
	}
}

// orderedHost records what is added to a manager.
type orderedHost struct {
	manager.Manager
	added []manager.Runnable
}

func (h *orderedHost) Add(r manager.Runnable) error {
	h.added = append(h.added, r)
	return h.Manager.Add(r)
}

// In a running manager a controller that is added starts at once, and waits for the cache of its first watch with a lock held that
// the second one needs: a cache that is added after both would never start.
func TestCacheIsAddedBeforeTheController(t *testing.T) {
	host := &orderedHost{Manager: newHost(t, admin)}
	opts := imagelistpulljob.Options{Name: fmt.Sprint("imagelistpulljob-", controllers.Add(1))}
	if err := imagelistpulljob.AddWithOptions(host, opts); err != nil {
		t.Fatal(err)
	}
	if len(host.added) != 2 {
		t.Fatalf("%d runnables were added, want a cluster and a controller", len(host.added))
	}
	if _, ok := host.added[0].(ctrlcluster.Cluster); !ok {
		t.Errorf("a %T was added before the cluster", host.added[0])
	}
}

func TestRestrictedToNamespaces(t *testing.T) {
	other, c := newCluster(t), newCluster(t)
	mgr := newHost(t, admin)
	opts := imagelistpulljob.Options{Name: fmt.Sprint("imagelistpulljob-", controllers.Add(1)), Namespaces: []string{c.namespace}}
	if err := imagelistpulljob.AddWithOptions(mgr, opts); err != nil {
		t.Fatal(err)
	}
	run(t, mgr)
	foreign := other.newJob("a")
	other.create(foreign)
	job := c.newJob("a")
	c.create(job)
	c.eventually("the job finishes", func() bool { return c.finished(job) })
	if status := other.reload(foreign).Status; status.Desired != 0 || len(other.children()) > 0 {
		t.Errorf("a job of another namespace is worked on: %+v", status)
	}
}

// case 17: the API server takes the names of the children of a job with the longest name that there is.
func TestLongestJobName(t *testing.T) {
	startController(t, admin)
	c := newCluster(t)
	job := c.newJob("nginx", "registry.example:5000/a/b:v1", "nginx@sha256:"+strings.Repeat("0", 64))
	job.Name = strings.Repeat("a", 62) + strings.Repeat("."+strings.Repeat("b", 62), 3) + ".c" // 253 characters, and a dot near the cut
	c.create(job)
	c.eventually("three children", func() bool { return len(c.children()) == 3 })
	c.eventually("the job finishes", func() bool { return c.finished(job) && job.Status.Status == "3/3" })
}

// case 24, and the whole kind: several controllers at work at once make one child an image.
func TestTwoControllersAtOnce(t *testing.T) {
	first := startController(t, admin)
	startController(t, admin)
	c := newCluster(t)
	var images []string
	for i := range 50 {
		images = append(images, fmt.Sprint("image-", i))
	}
	job := c.newJob(images...)
	c.create(job)
	c.eventually("half of the children", func() bool { return len(c.children()) >= 25 })
	first()
	c.eventually("the job finishes", func() bool { return c.finished(job) })
	if got := len(c.children()); got != 50 {
		t.Errorf("%d children, want 50", got)
	}
	if job.Status.Status != "50/50" {
		t.Errorf("status %s, want 50/50", job.Status.Status)
	}
}

// case 2, case 13 and case 21: edits while the job runs and after it has finished.
func TestEdits(t *testing.T) {
	startController(t, admin)
	c := newCluster(t)
	job := c.newJob("a", "b")
	c.create(job)
	c.eventually("two children", func() bool { return len(c.children()) == 2 })
	c.edit(job, func() { job.Spec.Images = []string{"c"} })
	c.eventually("the child of c alone", func() bool {
		children := c.children()
		return len(children) == 1 && children[0].Spec.Image == "c"
	})
	c.eventually("the job finishes", func() bool { return c.finished(job) })
	c.edit(job, func() { job.Spec.Images = []string{"c", "d"} })
	c.eventually("the job re-opens", func() bool { return c.reload(job).Status.CompletionTime == nil && job.Status.Desired == 2 })
	c.eventually("the job finishes again", func() bool { return c.finished(job) && job.Status.Status == "2/2" })
}

func (c *cluster) edit(job *v1alpha1.ImageListPullJob, change func()) {
	c.Helper()
	c.eventually("the edit is stored", func() bool {
		c.reload(job)
		change()
		err := c.Update(context.Background(), job)
		if err != nil && !apierrors.IsConflict(err) {
			c.Fatal(err)
		}
		return err == nil
	})
}

func TestTTLDeletesTheJob(t *testing.T) {
	startController(t, admin)
	c := newCluster(t)
	job := c.newJob("a")
	job.Spec.CompletionPolicy = &v1alpha1.CompletionPolicy{TTLSecondsAfterFinished: ptr.To[int32](1)}
	c.create(job)
	c.eventually("a child", func() bool { return len(c.children()) == 1 })
	c.finish()
	c.eventually("the job is deleted", func() bool {
		return apierrors.IsNotFound(c.Get(context.Background(), client.ObjectKeyFromObject(job), job))
	})
}

// case 18, on a real API server, which honours names and preconditions where the fake one does not.
func TestForeignObjectHasTheName(t *testing.T) {
	c := newCluster(t)
	job := c.newJob("a")
	stop := startController(t, admin)
	c.create(job)
	c.eventually("a child", func() bool { return len(c.children()) == 1 })
	name := c.children()[0].Name
	stop()
	if err := c.Delete(context.Background(), &c.children()[0]); err != nil {
		t.Fatal(err)
	}
	foreign := &kruisev1alpha1.ImagePullJob{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: name}}
	foreign.Spec.Image = "somebody-elses"
	c.create(foreign)
	startController(t, admin)
	c.eventually("the job tells of it", func() bool {
		finished := meta.FindStatusCondition(c.reload(job).Status.Conditions, v1alpha1.ConditionFinished)
		return finished != nil && strings.Contains(finished.Message, "belongs to somebody else")
	})
	if got := c.children(); len(got) != 1 || got[0].Spec.Image != "somebody-elses" {
		t.Errorf("the foreign object was touched: %+v", got)
	}
}

// The roles of config/rbac are enough, with OwnerReferencesPermissionEnforcement in force.
func TestRolesAreEnough(t *testing.T) {
	c := newCluster(t)
	role := &rbacv1.ClusterRole{}
	raw, err := os.ReadFile(filepath.Join("..", "config", "rbac", "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(raw, role); err != nil {
		t.Fatal(err)
	}
	role.Name = c.namespace
	c.create(role)
	c.create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: c.namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: c.namespace}},
	})
	restricted := rest.CopyConfig(admin)
	restricted.Impersonate = rest.ImpersonationConfig{UserName: c.namespace, Groups: []string{"system:authenticated"}}
	startController(t, restricted)
	job := c.newJob("a", "b")
	c.create(job)
	c.eventually("the job finishes", func() bool { return c.finished(job) && job.Status.Status == "2/2" })
	c.edit(job, func() {
		job.Spec.CompletionPolicy = &v1alpha1.CompletionPolicy{TTLSecondsAfterFinished: ptr.To[int32](1)}
	})
	c.eventually("the job is deleted", func() bool {
		return apierrors.IsNotFound(c.Get(context.Background(), client.ObjectKeyFromObject(job), job))
	})
}

// The typed client of kruise-api reads and writes our objects.
func TestClientOfKruise(t *testing.T) {
	startController(t, admin)
	c := newCluster(t)
	kruise, err := kruiseclient.NewForConfig(admin)
	if err != nil {
		t.Fatal(err)
	}
	jobs := kruise.AppsV1alpha1().ImageListPullJobs(c.namespace)
	ctx := context.Background()
	created, err := jobs.Create(ctx, &kruisev1alpha1.ImageListPullJob{
		ObjectMeta: metav1.ObjectMeta{Name: "job"},
		Spec:       kruisev1alpha1.ImageListPullJobSpec{Images: []string{"a"}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	created.Labels = map[string]string{"touched": "by-kruise-api"}
	if _, err := jobs.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	job := c.newJob()
	c.eventually("the job finishes", func() bool { return c.finished(job) })
	got, err := jobs.Get(ctx, "job", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status.Desired != 1 || got.Status.Succeeded != 1 || got.Status.CompletionTime == nil {
		t.Errorf("status %+v", got.Status)
	}
}

func TestKindsThatAreNotServed(t *testing.T) {
	env := &envtest.Environment{}
	cfg, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	var noKind *meta.NoKindMatchError
	if err := imagelistpulljob.Add(newHost(t, cfg)); !errors.As(err, &noKind) || noKind.GroupKind.Kind != "ImageListPullJob" {
		t.Errorf("error %v, want that ImageListPullJob is not served", err)
	}
	if _, plain := imagelistpulljob.Add(newHost(t, cfg)).(*meta.NoKindMatchError); !plain { //nolint:errorlint // hosts look at the type itself
		t.Error("the error is wrapped: hosts would take it for a failure")
	}
	if _, err := envtest.InstallCRDs(cfg, envtest.CRDInstallOptions{Paths: []string{ourCRD}}); err != nil {
		t.Fatal(err)
	}
	if err := imagelistpulljob.Add(newHost(t, cfg)); !errors.As(err, &noKind) || noKind.GroupKind.Kind != "ImagePullJob" {
		t.Errorf("error %v, want that ImagePullJob is not served", err)
	}
	disabled := imagelistpulljob.Options{Enabled: func() bool { return false }}
	if err := imagelistpulljob.AddWithOptions(newHost(t, cfg), disabled); err != nil {
		t.Errorf("error %v of a controller that is not enabled", err)
	}
}
