package indexfile_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/indexfile"
)

func TestHashes(t *testing.T) {
	paths, err := datafile.NewPaths(datafile.PathConfig{TableDir: "/t"})
	if err != nil {
		t.Fatal(err)
	}
	partition := make([]byte, 12)
	store := mem.New(nil)
	names := indexfile.NewNames()
	for _, d := range []struct {
		dir  indexfile.Dir
		want string
	}{
		{indexfile.Dir{TableDir: "/t", Paths: paths}, "/t/index/"},
		{indexfile.Dir{TableDir: "/t", Paths: paths, Beside: true}, "/t/bucket-3/"},
	} {
		want := []uint32{1, 1 << 31, 7}
		f, path, err := d.dir.WriteHashes(t.Context(), store, names, partition, 3, want)
		if err != nil || path != d.want+f.Name || f.SizeBytes != 12 || f.RowCount != 3 {
			t.Fatalf("%+v at %s, %v", f, path, err)
		}
		got, err := indexfile.ReadHashes(t.Context(), store, path, &f)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, %v", got, err)
		}
		f.RowCount = 2
		if _, err := indexfile.ReadHashes(t.Context(), store, path, &f); !errors.Is(err, corrupt.Err) {
			t.Fatal(err)
		}
		f.ExternalPath = "/elsewhere/x"
		if path, err := d.dir.Path(partition, 3, &f); err != nil || path != "/elsewhere/x" {
			t.Fatal(path, err)
		}
	}
}
