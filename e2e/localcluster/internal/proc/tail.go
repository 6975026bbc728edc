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

package proc

import (
	"io"
	"os"
	"strings"
)

// lastLineMax bounds a quoted log line, in bytes.
const lastLineMax = 400

// LastLine returns the last line of a log that is not blank, cut to a length that can be quoted; empty if there is none.
func LastLine(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const window = 16 << 10
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > window {
		_, _ = f.Seek(-window, io.SeekEnd)
	} else {
		_, _ = f.Seek(0, io.SeekStart)
	}
	b, _ := io.ReadAll(io.LimitReader(f, window))
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	// A panic or a usage text ends in frames and flags that say nothing: the line that says why comes first.
	for _, line := range lines {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "Error:") {
			return cut(line)
		}
	}
	return cut(lines[len(lines)-1])
}

func cut(line string) string {
	line = strings.TrimSpace(line)
	if len(line) > lastLineMax {
		line = line[:lastLineMax] + " ..."
	}
	return strings.ToValidUTF8(line, "?")
}
