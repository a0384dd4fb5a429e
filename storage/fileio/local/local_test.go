package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fileiotest"
	"github.com/lakesql/lakesql/storage/fileio/local"
)

func TestConformance(t *testing.T) {
	fileiotest.Run(t, func(t *testing.T) (fileio.Store, string) {
		root := t.TempDir()
		return local.New(root), root
	})
}

func TestSymbolicLink(t *testing.T) {
	root := t.TempDir()
	s := local.New(root)
	if err := fileio.WriteFile(t.Context(), s, root+"/real/f", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root+"/real", root+"/link"); err != nil {
		t.Skip(err)
	}
	infos, err := s.List(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) != 2 || infos[0].Name != "link" || !infos[0].Dir {
		t.Fatalf("listed %+v", infos)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	root := t.TempDir()
	s := local.New(root)
	dir := filepath.Join(root, "d")
	if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/probe", nil, 0o600); err == nil {
		t.Skip("permissions do not bind this user")
	}
	for name, err := range map[string]error{
		"create":  fileio.WriteFile(t.Context(), s, dir+"/x", nil),
		"publish": s.CreateIfAbsent(t.Context(), dir+"/x", nil),
		"replace": s.Replace(t.Context(), dir+"/x", nil),
	} {
		if !errors.Is(err, fileio.ErrReadOnly) || !strings.Contains(err.Error(), dir+"/x") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
