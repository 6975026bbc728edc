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

package registry

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// DefaultImages are what the registry holds without being asked for more.
var DefaultImages = []string{
	"nginx:latest", "busybox:1.35", "httpd:2.4.38", "redis:7",
	PauseImage,
}

// PauseImage is what containerd is told to use for sandboxes.
const PauseImage = "registry.k8s.io/pause:3.10"

// epoch is the date of everything in an image.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// GenerateImage makes the image for a reference: a few layers of generated files, the same for the same reference and
// options each time, so that digests can be compared between runs. No two references have a layer in common, or a node that
// has the one would not ask for all of the other. Nothing in it can be executed: images here are pulled, not run.
func GenerateImage(reference string, options ...ImageOption) (v1.Image, error) {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return nil, fmt.Errorf("image reference: %w", err)
	}
	layers, err := generateLayers(ref, options)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", ref.Name(), err)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.AppendLayers(image, layers...)
	if err != nil {
		return nil, fmt.Errorf("layers of image %s: %w", ref.Name(), err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Created = v1.Time{Time: epoch}
	config.Config = v1.Config{
		Cmd:    []string{"/" + path.Base(ref.Context().RepositoryStr())},
		Labels: map[string]string{"org.opencontainers.image.title": strings.TrimPrefix(ref.Context().RepositoryStr(), "library/")},
	}
	return mutate.ConfigFile(image, config)
}

func generateLayers(ref name.Reference, options []ImageOption) ([]v1.Layer, error) {
	wanted := imageOptions{}
	for _, option := range options {
		option(&wanted)
	}
	seed := fnv.New64a()
	_, _ = io.WriteString(seed, ref.Name()+wanted.content)
	random := rand.New(rand.NewPCG(seed.Sum64(), 0))
	base := path.Base(ref.Context().RepositoryStr())

	layers := make([]v1.Layer, wanted.layerCount(random))
	for i := range layers {
		files := map[string][]byte{}
		if i == 0 {
			files["etc/os-release"] = fmt.Appendf(nil, "ID=generated\nPRETTY_NAME=%q\n", ref.Name())
		}
		// Incompressible, so that what goes over the wire has the size that the layer says.
		files[fmt.Sprintf("usr/share/%s/layer-%d", base, i)] = randomBytes(random, wanted.fileSize(random))
		layer, err := layerOf(files)
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
		layers[i] = layer
	}
	return layers, nil
}

func layerOf(files map[string][]byte) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: file, Mode: 0o644, Size: int64(len(files[file])), ModTime: epoch}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(files[file]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(archive.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestSpeed), tarball.WithCompressedCaching)
}

func randomBytes(random *rand.Rand, size int) []byte {
	b := make([]byte, 0, size+8)
	for len(b) < size {
		v := random.Uint64()
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
	}
	return b[:size]
}
