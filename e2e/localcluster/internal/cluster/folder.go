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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	logsDir = "logs"
	// marker is in every folder that is a cluster's, so that no other folder is ever emptied.
	marker   = ".imagelistpulljob-localcluster"
	keepLogs = "keep-logs"
)

// ErrLocked means that a cluster runs in the folder, or is being started or stopped there.
var ErrLocked = errors.New("the folder is in use by a running local cluster")

// Claim makes the folder a cluster's and locks it. The lock is the open file: it is held by whoever inherits it, and
// released by the kernel when the last of them ends, however that comes.
func Claim(dir string) (lock *os.File, err error) {
	if err := checkOwn(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, logsDir), 0o755); err != nil {
		return nil, err
	}
	for {
		lock, err := os.OpenFile(filepath.Join(dir, marker), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			_ = lock.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, ErrLocked
			}
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		}
		// Whoever held it before may have removed the folder after we opened the file: then the lock is worth nothing.
		ours, err := lock.Stat()
		if err != nil {
			return nil, err
		}
		if now, err := os.Stat(lock.Name()); err == nil && os.SameFile(ours, now) {
			return lock, nil
		}
		_ = lock.Close()
		if err := os.MkdirAll(filepath.Join(dir, logsDir), 0o755); err != nil {
			return nil, err
		}
	}
}

// checkOwn refuses a folder that holds something that no cluster put there.
func checkOwn(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
		return fmt.Errorf("%s is not empty and no local cluster made it: choose another --dir", dir)
	}
	return nil
}

// removeAll removes the folder, or everything in it except logs and marker.
func removeAll(dir string, leaveLogs bool) error {
	if err := checkOwn(dir); err != nil {
		return err
	}
	if !leaveLogs {
		return os.RemoveAll(dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); name != logsDir && name != marker {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
		}
	}
	return err
}

// KeepLogs asks the supervisor to leave the logs when it stops.
func KeepLogs(dir string) error {
	return os.WriteFile(filepath.Join(dir, keepLogs), nil, 0o600)
}

func wantsLogs(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, keepLogs))
	return err == nil
}
