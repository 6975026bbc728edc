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
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fit returns decoded JSON without the values that Go type t cannot hold, and an error for each of them. A plain decoder stops at
// the first one, and the schema of the API server, which would find the others, is asked only after mutating admission. Of a list
// with more errors than an answer holds, the rest is dropped.
func fit(value any, t reflect.Type, path *field.Path) (any, field.ErrorList) {
	switch {
	case value == nil: // null stands for an absent field
		return nil, nil
	case t.Kind() == reflect.Pointer:
		return fit(value, t.Elem(), path)
	case t == reflect.TypeFor[intstr.IntOrString]():
		return fitIntOrString(value, path)
	case t.Kind() == reflect.Struct:
		return fitAs(value, "an object", path, func(fields map[string]any) (any, field.ErrorList) { return fitStruct(fields, t, path) })
	case t.Kind() == reflect.Map:
		return fitAs(value, "an object", path, func(entries map[string]any) (any, field.ErrorList) { return fitMap(entries, t.Elem(), path) })
	case t.Kind() == reflect.Slice:
		return fitAs(value, "a list", path, func(items []any) (any, field.ErrorList) { return fitSlice(items, t.Elem(), path) })
	case t.Kind() == reflect.String:
		return fitAs(value, "a string", path, func(text string) (any, field.ErrorList) { return text, nil })
	default:
		return fitInt(value, t.Bits(), path)
	}
}

// fitAs goes on with a value that has the JSON type T.
func fitAs[T any](value any, want string, path *field.Path, inside func(T) (any, field.ErrorList)) (any, field.ErrorList) {
	if typed, ok := value.(T); ok {
		return inside(typed)
	}
	return misfit(value, want, path)
}

func fitStruct(fields map[string]any, t reflect.Type, path *field.Path) (any, field.ErrorList) {
	fitting := make(map[string]any, len(fields))
	var errs field.ErrorList
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if strings.Contains(options, "inline") {
			inline, more := fitStruct(fields, t.Field(i).Type, path)
			for key, value := range inline.(map[string]any) {
				fitting[key] = value
			}
			errs = append(errs, more...)
			continue
		}
		value, more := fit(fields[name], t.Field(i).Type, path.Child(name))
		if value != nil {
			fitting[name] = value
		}
		errs = append(errs, more...)
	}
	return fitting, errs
}

func fitMap(entries map[string]any, elem reflect.Type, path *field.Path) (any, field.ErrorList) {
	fitting := make(map[string]any, len(entries))
	keys := make([]string, 0, len(entries))
	for key := range entries {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var errs field.ErrorList
	for _, key := range keys {
		if len(errs) > maxErrors {
			break
		}
		value, more := fit(entries[key], elem, path.Key(Shorten(key)))
		fitting[key] = value
		errs = append(errs, more...)
	}
	return fitting, errs
}

// fitSlice keeps the place of a value that does not fit, so that the index of the others stays.
func fitSlice(items []any, elem reflect.Type, path *field.Path) (any, field.ErrorList) {
	fitting := make([]any, len(items))
	var errs field.ErrorList
	for i := range items {
		if len(errs) > maxErrors {
			break
		}
		value, more := fit(items[i], elem, path.Index(i))
		fitting[i] = value
		errs = append(errs, more...)
	}
	return fitting, errs
}

func misfit(value any, want string, path *field.Path) (any, field.ErrorList) {
	return nil, field.ErrorList{field.Invalid(path, jsonType(value), "must be "+want)}
}

// jsonType names the type of a value. The value itself may be of any size.
func jsonType(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "list"
	case string:
		return "string"
	default:
		return fmt.Sprint(value) // a number or boolean, which is short
	}
}
