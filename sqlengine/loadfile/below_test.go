package loadfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenBelow(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "open")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "sub"), 0o755),
		os.WriteFile(filepath.Join(dir, "sub", "f"), nil, 0o644),
		os.WriteFile(filepath.Join(root, "secret"), nil, 0o644),
		os.Mkdir(dir+"2", 0o755),
		os.WriteFile(filepath.Join(dir+"2", "f"), nil, 0o644),
		os.Symlink("sub/f", filepath.Join(dir, "inside")),
		os.Symlink("../secret", filepath.Join(dir, "outside")),
		os.Symlink(filepath.Join(root, "secret"), filepath.Join(dir, "absolute")),
		os.Symlink("..", filepath.Join(dir, "up")),
		os.Symlink(dir, filepath.Join(root, "alias")),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir, name string
		want      error
	}{
		{dir, "sub/f", nil},
		{dir, filepath.Join(dir, "sub", "f"), nil},
		{dir, "inside", nil},
		{filepath.Join(root, "alias"), filepath.Join(root, "alias", "sub", "f"), nil},
		{filepath.Join(root, "alias"), filepath.Join(dir, "sub", "f"), nil},
		{dir, "none", fs.ErrNotExist},
		{dir, "sub", ErrNotRegular},
		{dir, "../secret", ErrOutside},
		{dir, filepath.Join(root, "secret"), ErrOutside},
		{dir, filepath.Join(dir+"2", "f"), ErrOutside},
		{dir, filepath.Join(dir, "..", "secret"), ErrOutside},
		{dir, "outside", ErrOutside},
		{dir, "absolute", ErrOutside},
		{dir, "up/secret", ErrOutside},
		{dir, "", ErrOutside},
	} {
		f, err := OpenBelow(c.dir, c.name)
		if !errors.Is(err, c.want) {
			t.Errorf("%s below %s: %v, want %v", c.name, c.dir, err, c.want)
		}
		if err == nil {
			_ = f.Close()
		}
	}
}
