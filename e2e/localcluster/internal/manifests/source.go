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
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// The identities that Kruise's manifests and ours bind their roles to.
const (
	Namespace       = "kruise-system"
	ManagerIdentity = "kruise-manager"
	DaemonIdentity  = "kruise-daemon"
)

// listCRD is the file of the CRD that this repository and Kruise both have.
const listCRD = "apps.kruise.io_imagelistpulljobs.yaml"

// Source says where manifests come from.
type Source struct {
	// RepoDir is this repository, KruiseDir the module github.com/openkruise/kruise.
	RepoDir, KruiseDir string
	// KruiseList takes CRD, roles and webhooks of ImageListPullJob from Kruise, as if this repository did not exist.
	KruiseList bool
}

// CRDs are Kruise's, with this repository's ImageListPullJob in place of Kruise's.
func (s Source) CRDs() ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(s.KruiseDir, "config/crd/bases/*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s holds no Kruise CRDs: is it the module github.com/openkruise/kruise?", s.KruiseDir)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		if filepath.Base(file) == listCRD && !s.KruiseList {
			file = filepath.Join(s.RepoDir, "config/crd/bases", listCRD)
		}
		crds, err := readFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: write it with make generate", err)
		}
		if err != nil {
			return nil, err
		}
		objects = append(objects, crds...)
	}
	return objects, nil
}

// kruiseRBAC are the files that Kruise's config/rbac lists, without the roles meant for users.
var kruiseRBAC = []string{
	"role.yaml", "role_binding.yaml", "leader_election_role.yaml", "leader_election_role_binding.yaml",
	"daemon_role.yaml", "daemon_role_binding.yaml",
}

// kruiseOverlay does what Kruise's config/default does: its manifests name everything without prefix, in the namespace system.
const kruiseOverlay = `namespace: kruise-system
namePrefix: kruise-
resources: [%s]
`

// kruiseObjects are the parts of Kruise's config/manager and config/webhook without which its manager does not
// start. Nothing stands behind the service: the manager puts its own address into the webhook configurations.
const kruiseObjects = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: manager, namespace: system}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: daemon, namespace: system}
---
apiVersion: v1
kind: Secret
metadata: {name: webhook-certs, namespace: system}
---
apiVersion: v1
kind: Service
metadata: {name: webhook-service, namespace: system}
spec:
  ports: [{port: 443, targetPort: 9876}]
`

// Namespaces are Kruise's two.
func (s Source) Namespaces() ([]*unstructured.Unstructured, error) {
	daemonConfig, err := readFile(filepath.Join(s.KruiseDir, "config/daemonconfig/config/namespace.yaml"))
	if err != nil {
		return nil, err
	}
	own, err := decode(fmt.Appendf(nil, "{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {control-plane: controller-manager}}}", Namespace))
	return append(own, daemonConfig...), err
}

// Identities are the service accounts of manager and daemon, and the roles that each is given: Kruise's, and for
// the manager those in this repository's config/rbac. Neither is a cluster administrator.
func (s Source) Identities() ([]*unstructured.Unstructured, error) {
	files := filesys.MakeFsInMemory()
	list := "objects.yaml"
	for _, name := range kruiseRBAC {
		if err := copyInto(files, "/", filepath.Join(s.KruiseDir, "config/rbac", name)); err != nil {
			return nil, err
		}
		list += ", " + name
	}
	for name, content := range map[string]string{
		"/objects.yaml":       kruiseObjects,
		"/kustomization.yaml": fmt.Sprintf(kruiseOverlay, list),
	} {
		if err := files.WriteFile(name, []byte(content)); err != nil {
			return nil, err
		}
	}
	objects, err := build(files, "/")
	if err != nil {
		return nil, fmt.Errorf("kruise's roles: %w", err)
	}
	daemonConfig, err := readFile(filepath.Join(s.KruiseDir, "config/daemonconfig/config/rbac.yaml"))
	if err != nil {
		return nil, err
	}
	objects = append(objects, daemonConfig...)
	if s.KruiseList {
		return objects, nil
	}
	own, err := build(filesys.MakeFsOnDisk(), filepath.Join(s.RepoDir, "config/rbac"))
	return append(objects, own...), err
}
