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

package imagelistpulljob

import (
	"regexp"
	"strings"
	"unicode"
)

// What registries and runtimes put into messages that may carry a secret: user and password of a URL, its query (signed URLs),
// and the value of an authorization header.
var (
	userinfo      = regexp.MustCompile(`://[^/\s]+@`)
	query         = regexp.MustCompile(`\?[^\s"']+=[^\s"']*`)
	authorization = regexp.MustCompile(`(?i)\b(basic|bearer)\s+[A-Za-z0-9+/_=.~-]{8,}`)
)

// redact removes credentials from a message.
func redact(message string) string {
	message = userinfo.ReplaceAllString(message, "://***@")
	message = query.ReplaceAllString(message, "?***")
	return authorization.ReplaceAllString(message, "$1 ***")
}

// shorten puts a message on one line of at most limit characters, without credentials. It cuts in the middle: errors begin with what
// was tried and end with the cause.
func shorten(message string, limit int) string {
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(message, "?"))
	message = redact(strings.Join(strings.Fields(message), " "))
	if runes := []rune(message); len(runes) > limit {
		head := limit / 3
		return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-head-1):])
	}
	return message
}
