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

import "fmt"

// matcher is a Gomega matcher for a T, whose failure shows all that matters of it.
type matcher[T any] struct {
	want  string
	match func(T) bool
	// final, if set, says that what does not match now never will, so that it is not waited for.
	final func(T) bool
	show  func(T) any
}

// Match implements types.GomegaMatcher.
func (m *matcher[T]) Match(actual any) (bool, error) {
	value, ok := actual.(T)
	if !ok {
		return false, fmt.Errorf("this matcher is for a %T, not for a %T", value, actual)
	}
	return m.match(value), nil
}

// MatchMayChangeInTheFuture is asked by Eventually and Consistently.
func (m *matcher[T]) MatchMayChangeInTheFuture(actual any) bool {
	value, ok := actual.(T)
	return !ok || m.final == nil || m.match(value) || !m.final(value)
}

// FailureMessage implements types.GomegaMatcher.
func (m *matcher[T]) FailureMessage(actual any) string { return m.message("Expected", actual) }

// NegatedFailureMessage implements types.GomegaMatcher.
func (m *matcher[T]) NegatedFailureMessage(actual any) string {
	return m.message("Did not expect", actual)
}

func (m *matcher[T]) message(verb string, actual any) string {
	if value, ok := actual.(T); ok {
		actual = m.show(value)
	}
	return fmt.Sprintf("%s %s, but this is what there is:\n%s", verb, m.want, asYAML(actual))
}
