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

package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/proc"
	"github.com/openkruise/imagelistpulljob/e2e/localcluster/state"
)

// stopGrace is how long a part may take to stop before it is killed.
const stopGrace = 10 * time.Second

// CleanUp removes what a cluster left whose supervisor is gone: processes by pid and start time, mounts, the folder.
// The caller holds the folder's lock.
func CleanUp(dir string, leaveLogs bool) error {
	recorded, err := state.Read(dir)
	if err != nil {
		return err
	}
	if recorded != nil && recorded.BootID == BootID() {
		for _, part := range slices.Backward(recorded.Parts) {
			err = errors.Join(err, proc.Identity(part.Process).End(stopGrace))
		}
	}
	if err := errors.Join(err, unmountBelow(dir)); err != nil {
		return err
	}
	return removeAll(dir, leaveLogs || wantsLogs(dir))
}

// unmountBelow unmounts everything at or below dir. Parts mount in namespaces of their own, so there is nothing
// unless somebody else mounted it; but what is still mounted must not be removed file by file.
func unmountBelow(dir string) error {
	points, err := mountsBelow(dir)
	if err != nil {
		return err
	}
	for _, point := range slices.Backward(points) { // the last mounted is on top
		if err := unix.Unmount(point, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount %s: %w", point, err)
		}
	}
	return nil
}

// mountsBelow lists the mount points at or below dir in this mount namespace, in the order in which they were mounted.
func mountsBelow(dir string) ([]string, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var points []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 {
			continue
		}
		point := unescape.Replace(fields[4])
		if point == dir || strings.HasPrefix(point, dir+"/") {
			points = append(points, point)
		}
	}
	return points, nil
}

// unescape undoes what the kernel does to blanks in /proc/self/mountinfo.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// BootID names the time since the machine was started.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
