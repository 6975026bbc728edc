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
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

func digestOf(t *testing.T, reference string, options ...ImageOption) string {
	t.Helper()
	digest, err := generate(t, reference, options...).Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest.String()
}

func generate(t *testing.T, reference string, options ...ImageOption) v1.Image {
	t.Helper()
	image, err := GenerateImage(reference, options...)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestGeneratedImageIsTheSameEachTimeAndNoOther(t *testing.T) {
	digests := map[string]string{}
	for _, reference := range DefaultImages {
		first := digestOf(t, reference)
		if again := digestOf(t, reference); again != first {
			t.Errorf("%s was generated as %s and as %s", reference, first, again)
		}
		if other, taken := digests[first]; taken {
			t.Errorf("%s and %s are the same image", reference, other)
		}
		digests[first] = reference
	}
}

func TestGeneratedImageIsComplete(t *testing.T) {
	image := generate(t, "nginx")
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.OS != "linux" || config.Architecture != runtime.GOARCH {
		t.Errorf("platform %s/%s, want linux/%s", config.OS, config.Architecture, runtime.GOARCH)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) < 2 {
		t.Fatalf("%d layers (%v), want at least 2", len(layers), err)
	}
	for _, layer := range layers {
		if size, err := layer.Size(); err != nil || size < 64<<10 {
			t.Errorf("layer of %d bytes (%v), want at least 64 KiB", size, err)
		}
	}
}

func TestImageOptions(t *testing.T) {
	layers, err := generate(t, "app:1", Layers(5), LayerSize(1000)).Layers()
	if err != nil || len(layers) != 5 {
		t.Fatalf("%d layers (%v), want 5", len(layers), err)
	}
	for _, layer := range layers {
		if size, err := layer.Size(); err != nil || size < 1000 || size > 2000 {
			t.Errorf("layer of %d bytes (%v), want 1000 and what tar adds", size, err)
		}
	}
	if digestOf(t, "app:1") == digestOf(t, "app:1", Content("moved")) {
		t.Error("other content makes the same image")
	}
}
