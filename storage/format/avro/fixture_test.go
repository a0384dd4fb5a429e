package avro_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/avro"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/format/formattest"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/interop/canonical"
)

// fixture is a table that the reference or its Python sibling wrote: its columns,
// its files, and the rows in canonical form.
type fixture struct {
	name   string
	fields []types.Field
	files  [][]byte
	rows   []string
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	dirs, err := filepath.Glob("testdata/*/schema.json")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var out []fixture
	for _, name := range dirs {
		dir := filepath.Dir(name)
		s, err := schema.Decode(read(name))
		if err != nil {
			t.Fatal(err)
		}
		f := fixture{name: filepath.Base(dir), fields: s.Fields}
		f.rows = strings.Split(strings.TrimSpace(string(read(filepath.Join(dir, "rows.jsonl")))), "\n")
		files, err := filepath.Glob(filepath.Join(dir, "*.avro"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			f.files = append(f.files, read(name))
		}
		out = append(out, f)
	}
	return out
}

func canonicalRows(t *testing.T, batches ...*columnar.Batch) []string {
	t.Helper()
	var rows []string
	for _, b := range batches {
		lines, err := canonical.Rows(b, false)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, lines...)
	}
	slices.Sort(rows)
	return rows
}

// Files of the reference read as it reads them, and so do our copies of them.
func TestFixtures(t *testing.T) {
	f := avro.New(codec.NewPool())
	for _, fx := range fixtures(t) {
		o := format.ReadOptions{Fields: fx.fields}
		var read, again []*columnar.Batch
		for i, data := range fx.files {
			b, err := formattest.Read(f, data, o)
			if err != nil {
				t.Fatalf("%s, file %d: %v", fx.name, i, err)
			}
			read = append(read, b)
			data, err := formattest.Write(f, format.WriteOptions{Fields: fx.fields}, b)
			if err != nil {
				t.Fatalf("%s, write file %d: %v", fx.name, i, err)
			}
			if b, err = formattest.Read(f, data, o); err != nil {
				t.Fatalf("%s, read our file %d: %v", fx.name, i, err)
			}
			again = append(again, b)
		}
		for what, batches := range map[string][]*columnar.Batch{"theirs": read, "ours": again} {
			got := canonicalRows(t, batches...)
			if !slices.Equal(got, fx.rows) {
				t.Errorf("%s, %s:\n%s\nwant\n%s", fx.name, what, strings.Join(got, "\n"), strings.Join(fx.rows, "\n"))
			}
		}
	}
}

// FuzzRead reads damaged files whole and in part: errors, no panics.
func FuzzRead(f *testing.F) {
	all := fixtures(f)
	for i, fx := range all {
		for _, data := range fx.files {
			f.Add(uint8(i), data)
		}
	}
	a := avro.New(codec.NewPool())
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		ctx := context.Background()
		fields := all[int(which)%len(all)].fields
		for _, fields := range [][]types.Field{fields, fields[len(fields)/2:], nil} {
			r, err := a.Open(ctx, formattest.File(data), "fuzz.avro", format.ReadOptions{Fields: fields})
			if err != nil {
				continue
			}
			for range 50 { // a block of records without bytes has no end
				if _, err := r.Next(ctx); err != nil {
					break
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
