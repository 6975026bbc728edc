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

import "math/rand/v2"

// ImageOption changes what GenerateImage makes.
type ImageOption func(*imageOptions)

type imageOptions struct {
	layers, layerSize int
	content           string
}

// Layers is the number of layers; without it, there are two to four.
func Layers(count int) ImageOption { return func(o *imageOptions) { o.layers = count } }

// LayerSize is the size of the file in each layer in bytes, and about that of the layer; without it, sizes differ, from 64 KiB to 576 KiB.
func LayerSize(size int) ImageOption { return func(o *imageOptions) { o.layerSize = size } }

// Content makes another image under the same name, as if the tag had been moved.
func Content(version string) ImageOption { return func(o *imageOptions) { o.content = version } }

func (o imageOptions) layerCount(random *rand.Rand) int {
	if o.layers > 0 {
		return o.layers
	}
	return 2 + random.IntN(3)
}

func (o imageOptions) fileSize(random *rand.Rand) int {
	if o.layerSize > 0 {
		return o.layerSize
	}
	return 64<<10 + random.IntN(512<<10)
}
