package parquet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/types"
)

// fixture is a table that another implementation wrote: its columns, its files and
// its rows in canonical form.
type fixture struct {
	fields []types.Field
	files  [][]byte
	rows   []string
}

func loadFixture(t testing.TB, name string) fixture {
	t.Helper()
	var f fixture
	dir := filepath.Join("testdata", name)
	raw, err := os.ReadFile(filepath.Join(dir, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Fields []types.Field }
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	f.fields = schema.Fields
	paths, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		f.files = append(f.files, data)
	}
	if raw, err = os.ReadFile(filepath.Join(dir, "rows.jsonl")); err != nil {
		t.Fatal(err)
	}
	f.rows = strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	slices.Sort(f.rows)
	return f
}

// Files of Java 2.0.0 and 1.0.1 and of pypaimon 2.1.0 give the rows that Java reads.
func TestReadFixtures(t *testing.T) {
	for _, name := range []string{"atoms", "nested", "lz4", "pypaimon", "paimon-1.0.1"} {
		f := loadFixture(t, name)
		for _, ro := range []format.ReadOptions{{}, {BatchRows: 3, KeepDictionary: true}} {
			ro.Fields = f.fields
			var got []string
			for _, data := range f.files {
				b, err := readFile(data, ro)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got = append(got, canonicalRows(b)...)
			}
			slices.Sort(got)
			if !slices.Equal(got, f.rows) {
				t.Errorf("%s: %d rows, want %d%s", name, len(got), len(f.rows), firstDifference(got, f.rows))
			}
		}
	}
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("\n got %s\nwant %s", got[i], want[i])
		}
	}
	return ""
}

// Rows that we write again are read the same.
func TestRewriteFixtures(t *testing.T) {
	for _, name := range []string{"atoms", "nested", "variant", "lz4", "pypaimon", "paimon-1.0.1"} {
		f := loadFixture(t, name)
		var rows []*columnar.Batch
		for _, data := range f.files {
			b, err := readFile(data, format.ReadOptions{Fields: f.fields})
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, b)
		}
		data := writeFile(t, format.WriteOptions{Fields: f.fields}, rows...)
		got, err := readFile(data, format.ReadOptions{Fields: f.fields})
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for _, b := range rows {
			if err := testkit.EqualBatches(testkit.Slice(got, from, from+b.N), b); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			from += b.N
		}
	}
}

// Our schema is, element by element, the one that Java 2.0.0 writes.
func TestSchemaIsJavas(t *testing.T) {
	for _, name := range []string{"atoms", "nested", "variant"} {
		f := loadFixture(t, name)
		ft, err := readFooter(fileOf(f.files[0]), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := schemaOf(f.fields)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range ft.meta.schema {
			if i >= len(ours) {
				t.Fatalf("%s: %d elements, want %d", name, len(ours), len(ft.meta.schema))
			}
			if got := ours[i]; got != want {
				t.Errorf("%s: element %d\n got %+v\nwant %+v", name, i, got, want)
			}
		}
	}
}
