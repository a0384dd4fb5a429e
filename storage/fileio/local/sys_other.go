//go:build !linux

package local

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// renameNoReplace renames unless the target exists. Without help of the system
// two processes may still meet between the look and the rename; files are
// published by link, so only directories depend on it.
func renameNoReplace(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

func startWriteBack(*os.File, int64, int64) {}

func unlink(name string) error {
	st, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if st.IsDir() {
		return syscall.EISDIR
	}
	return os.Remove(name)
}

func rmdir(name string) error {
	st, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return syscall.ENOTDIR
	}
	return os.Remove(name)
}

func syncUnsupported(err error) bool { return errors.Is(err, syscall.EINVAL) }
