package loadfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrOutside is returned for files that are not in the folder that is open to SQL.
var ErrOutside = errors.New("not in the folder that is open to SQL")

// ErrNotRegular is returned for what is no regular file.
var ErrNotRegular = errors.New("not a regular file")

// OpenBelow opens a file below dir by its path from there, or by an absolute one. No
// link leads out of dir. Errors are ErrOutside, ErrNotRegular, fs.ErrNotExist,
// fs.ErrPermission.
func OpenBelow(dir, name string) (*os.File, error) {
	rel, err := below(dir, name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrOutside, err)
	case !info.Mode().IsRegular(): // opening a pipe would wait
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	return root.Open(rel)
}

// below is a path from dir.
func below(dir, name string) (string, error) {
	if !filepath.IsAbs(name) {
		if !filepath.IsLocal(name) {
			return "", ErrOutside
		}
		return name, nil
	}
	folders := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		folders = append(folders, real)
	}
	for _, d := range folders {
		if rel, err := filepath.Rel(d, name); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", ErrOutside
}
