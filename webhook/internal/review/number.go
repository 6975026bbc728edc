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

package review

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func fitIntOrString(value any, path *field.Path) (any, field.ErrorList) {
	if _, ok := value.(string); ok {
		return value, nil
	}
	if fitting, errs := fitInt(value, 32, path); len(errs) == 0 {
		return fitting, nil
	}
	return misfit(value, "a whole number from 0 to 2147483647", path)
}

// fitInt takes a number of any notation that is whole and has at most so many bits.
func fitInt(value any, bits int, path *field.Path) (any, field.ErrorList) {
	limit := math.Ldexp(1, bits-1)
	switch number := value.(type) {
	case int64:
		if bits == 64 || -limit <= float64(number) && float64(number) < limit {
			return number, nil
		}
	case float64:
		if number == math.Trunc(number) && -limit <= number && number < limit {
			return int64(number), nil
		}
	}
	return misfit(value, fmt.Sprintf("a whole number of at most %d bits", bits), path)
}
