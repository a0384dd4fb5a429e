package local

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/lakesql/lakesql/storage/fileio"
)

// TestErrorsOfTheSystem: what the system says of a full, read-only or missing place
// comes out as the error of package fileio that callers look for, with the name once.
func TestErrorsOfTheSystem(t *testing.T) {
	for _, c := range []struct {
		err  error
		want error
	}{
		{&fs.PathError{Op: "write", Path: "/wh/f", Err: syscall.ENOSPC}, fileio.ErrNoSpace},
		{&fs.PathError{Op: "write", Path: "/wh/f", Err: syscall.EDQUOT}, fileio.ErrNoSpace},
		{&fs.PathError{Op: "open", Path: "/wh/f", Err: syscall.EROFS}, fileio.ErrReadOnly},
		{&fs.PathError{Op: "mkdir", Path: "/wh", Err: syscall.EACCES}, fileio.ErrReadOnly},
		{&os.LinkError{Op: "link", Old: "/wh/.f.tmp", New: "/wh/f", Err: syscall.EEXIST}, fileio.ErrExist},
		{&os.LinkError{Op: "link", Old: "/wh/.f.tmp", New: "/wh/f", Err: syscall.ENOSPC}, fileio.ErrNoSpace},
		{&fs.PathError{Op: "open", Path: "/wh/f", Err: syscall.ENOENT}, fileio.ErrNotFound},
		{&fs.PathError{Op: "write", Path: "/wh/f", Err: syscall.EIO}, syscall.EIO},
	} {
		err := mapWrite("write", "/wh/f", c.err)
		if !errors.Is(err, c.want) || strings.Count(err.Error(), "/wh/f") != 1 {
			t.Errorf("%v came out as %v", c.err, err)
		}
	}
}

// TestFullDevice writes where there is never any space.
func TestFullDevice(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("the system has no device that is always full")
	}
	s := New(t.TempDir())
	w := newWriter(f, "/wh/f", &s.buffers)
	_, err = w.Write(make([]byte, 4<<20))
	if err == nil {
		err = w.Finish(t.Context())
	}
	if !errors.Is(err, fileio.ErrNoSpace) || !strings.Contains(err.Error(), "/wh/f") {
		t.Errorf("a write to a full device: %v", err)
	}
}
