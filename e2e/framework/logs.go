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

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

const (
	// kruiseNamespace is where manager and daemons run, unless E2E_LOGS names a folder with their logs.
	kruiseNamespace = "kruise-system"
	// maxLog is how much of the end of a file is looked at, in bytes, and maxLogLines of that of a Pod's log.
	maxLog      = 4 << 20
	maxLogLines = 20000
	// maxLines is how many lines of a log are shown.
	maxLines = 60
	// maxLine bounds a line, in bytes.
	maxLine = 600
)

// logs are those of manager and daemons since the start of a spec.
type logs struct {
	config *rest.Config
	folder string
	since  time.Time
	// sizes are those of the files in folder when the spec began.
	sizes map[string]int64
}

func startLogs(config *rest.Config) logs {
	l := logs{config: config, folder: os.Getenv("E2E_LOGS"), since: time.Now(), sizes: map[string]int64{}}
	for _, file := range l.files() {
		if info, err := os.Stat(file); err == nil {
			l.sizes[file] = info.Size()
		}
	}
	return l
}

func (l logs) files() []string {
	if l.folder == "" {
		return nil
	}
	managers, _ := filepath.Glob(filepath.Join(l.folder, "kruise-manager*.log")) // the patterns are fine
	daemons, _ := filepath.Glob(filepath.Join(l.folder, "*daemon*.log"))
	return append(managers, daemons...)
}

// report adds an entry for each log: the last lines that mention one of the words, or an error.
func (l logs) report(ctx context.Context, f *Framework, words []string) {
	if l.folder == "" {
		l.reportPods(ctx, f, words)
		return
	}
	for _, file := range l.files() {
		f.report(ctx, "Log "+filepath.Base(file), func(context.Context) (string, error) {
			content, err := readFrom(file, l.sizes[file])
			return telling(content, words), err
		})
	}
}

func readFrom(file string, start int64) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if start > info.Size() { // it was begun anew
		start = 0
	}
	if _, err := f.Seek(max(start, info.Size()-maxLog), io.SeekStart); err != nil {
		return "", err
	}
	content, err := io.ReadAll(f)
	return string(content), err
}

func (l logs) reportPods(ctx context.Context, f *Framework, words []string) {
	clientset, err := kubernetes.NewForConfig(l.config)
	if err != nil {
		f.report(ctx, "Logs", func(context.Context) (string, error) { return "", err })
		return
	}
	pods := clientset.CoreV1().Pods(kruiseNamespace)
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 {
		f.report(ctx, "Logs of "+kruiseNamespace, func(context.Context) (string, error) { return "", err })
		return
	}
	for i := range list.Items {
		pod := &list.Items[i]
		read := func(previous bool) func(context.Context) (string, error) {
			return func(ctx context.Context) (string, error) {
				content, err := pods.GetLogs(pod.Name, &corev1.PodLogOptions{
					Container: pod.Spec.Containers[0].Name, Previous: previous,
					SinceTime: ptr.To(metav1.NewTime(l.since)), TailLines: ptr.To[int64](maxLogLines),
				}).DoRaw(ctx)
				return telling(string(content), words), err
			}
		}
		name := fmt.Sprintf("Log %s (%s)", pod.Name, pod.Spec.NodeName)
		if len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].RestartCount > 0 {
			f.report(ctx, name+" before its last restart", read(true))
		}
		f.report(ctx, name, read(false))
	}
}

var (
	// failing matches lines that tell an error, in the formats of klog and zap.
	failing = regexp.MustCompile(`^[EF]\d{4} |\bERROR\b|"level":"error"`)
	// crashing matches the line that begins the last words of a program.
	crashing = regexp.MustCompile(`^panic:|^fatal error:`)
)

// telling returns the last lines that mention one of the words, or an error, or belong to a crash.
func telling(log string, words []string) string {
	var lines []string
	crashed := false
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\n")
		crashed = crashed || crashing.MatchString(line)
		told := crashed || failing.MatchString(line)
		for _, word := range words {
			told = told || strings.Contains(line, word)
		}
		if told {
			lines = append(lines, line[:min(len(line), maxLine)])
		}
	}
	left := max(len(lines)-maxLines, 0)
	text := strings.Join(lines[left:], "\n")
	if left > 0 {
		text = fmt.Sprintf("(%d lines before these)\n%s", left, text)
	}
	return text
}
