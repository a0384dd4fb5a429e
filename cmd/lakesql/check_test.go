package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio/local"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// oneRow makes a warehouse with the table default.t of one row.
func oneRow(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	env := storage.NewEnv(storage.Config{Store: local.New(root)})
	defer env.Close()
	tb, err := storage.Create(t.Context(), env, filepath.ToSlash(root)+"/default.db/t", schema.Definition{
		Fields: []types.Field{{Name: "k", Type: types.Of(types.Int)}}, PrimaryKeys: []string{"k"}, Options: map[string]string{"bucket": "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	w := v.Write(storage.WriteOptions{})
	b := columnar.NewBatch(types.FieldTypes(v.Schema().Fields), 1)
	b.Cols[0].AppendI32(7)
	b.N = 1
	if err := w.Add(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestCheckAndInspect(t *testing.T) {
	root := oneRow(t)
	call := func(args ...string) (int, string, string) {
		var out, errs strings.Builder
		code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	if code, out, errs := call("check", "--warehouse", root); code != 0 || out != "" {
		t.Errorf("check of a good warehouse: %d, %q, %q", code, out, errs)
	}
	if code, out, _ := call("check", "-v", "--warehouse", root, "--table", "t"); code != 0 || !strings.Contains(out, "1 data files with 1 rows") {
		t.Errorf("check -v: %d, %q", code, out)
	}
	files, err := filepath.Glob(root + "/default.db/t/bucket-0/*.parquet")
	if err != nil || len(files) != 1 {
		t.Fatalf("data files %v, %v", files, err)
	}
	if code, out, errs := call("inspect", files[0], root+"/default.db/t/snapshot/LATEST"); code != 0 || !strings.Contains(out, "k=7") || !strings.Contains(out, "snapshot 1") {
		t.Errorf("inspect: %d, %q, %q", code, out, errs)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := call("check", "--warehouse", root, "--table", "default.t"); code != 1 || !strings.Contains(out, files[0]) || !strings.Contains(errs, "1 faults") {
		t.Errorf("check of a damaged table: %d, %q, %q", code, out, errs)
	}
	for _, args := range [][]string{{"check", "--warehouse", root, "--table", "none"}, {"check", "--table", "a/b"}, {"inspect", files[0]}} {
		if code, _, errs := call(args...); code != 1 || errs == "" {
			t.Errorf("%v: %d, %q", args, code, errs)
		}
	}
}
