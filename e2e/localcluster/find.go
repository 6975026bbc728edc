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

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/cluster"
)

// repoSign is a file by which the repository is known.
const repoSign = "e2e/host/go.mod"

// findRepo looks for the repository from the current folder upwards, then from this program's.
func (o *upOptions) findRepo() error {
	starts := []string{o.repo}
	if o.repo == "" {
		self, selfErr := os.Executable()
		cwd, cwdErr := os.Getwd()
		if err := errors.Join(selfErr, cwdErr); err != nil {
			return err
		}
		starts = []string{filepath.Dir(self), cwd}
	}
	for _, start := range starts {
		dir, err := filepath.Abs(start)
		if err != nil {
			return err
		}
		for ; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, repoSign)); err == nil {
				o.Manifests.RepoDir = dir
				return nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return fmt.Errorf("the repository github.com/openkruise/imagelistpulljob is not at or above %s: name it with --repo", strings.Join(starts, " or "))
}

// findBinaries finds each program; those of the environment's Kubernetes go before our own.
func (o *upOptions) findBinaries() error {
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	o.Binaries = map[string]string{}
	var missing []string
	for _, name := range cluster.Programs() {
		o.Binaries[name] = filepath.Join(bin, name)
		if supplied := filepath.Join(assets, name); assets != "" && isProgram(supplied) {
			o.Binaries[name] = supplied
		}
		if !isProgram(o.Binaries[name]) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s not found in %s: build what is missing with make binaries", strings.Join(missing, ", "), bin)
	}
	return nil
}

func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// findKruise asks go where the Kruise module is that the manager was built from.
func (o *upOptions) findKruise(ctx context.Context) error {
	o.Manifests.KruiseDir = o.kruise
	if o.kruise != "" {
		return nil
	}
	const module = "github.com/openkruise/kruise"
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir = filepath.Join(o.Manifests.RepoDir, filepath.Dir(repoSign))
	out, err := list.Output()
	dir := strings.TrimSpace(string(out))
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err == nil && dir == "" {
		err = errors.New("it is not downloaded")
	}
	if err != nil {
		return fmt.Errorf("the module %s is not found by go in %s (%w): download it there with go mod download, or name its folder with --kruise", module, list.Dir, err)
	}
	o.Manifests.KruiseDir = dir
	return nil
}
