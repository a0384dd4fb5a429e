package manifest

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// The records of docs/format/manifest.md, as the reference encodes them.
const (
	goldenEntry = "04003800000001000000000000000008000000100000003230323430313031000866646174612d30303030303030302d303030302d303030302d303030302d3030303030303030303030302d302e70617271756574a41306280000000100000000000000000100000000000000280000000100000000000000000300000000000000280000000100000000000000000100000000000000280000000100000000000000000300000000000000020202000058000000030000000000000000010000000000000061000000000000810800000020000000323032343031303158000000030000000000000000030000000000000063000000000000810800000020000000323032343031303102060200020002000000040000000280d08fa5986302000002000000000000"
	goldenList  = "045e6d616e69666573742d30303030303030302d303030302d303030302d303030302d3030303030303030303030302d30a01f02003800000001000000000000000008000000100000003230323430313031380000000100000000000000000800000010000000323032343031303102020200000002000200020002000000"
	goldenIndex = "020018000000000000000000000000002044454c4554494f4e5f564543544f525312696e6465782d782d303e0202020220646174612d782d302e70617271756574022c0202000000"
)

func serialize(ts []types.Type, vals ...columnar.Value) []byte { return row.Serialize(ts, vals) }

func str(s string) columnar.Value { return columnar.StringValue(s) }

func num(i int64) columnar.Value { return columnar.IntValue(i) }

func goldenEntryValue() Entry {
	e := goldenEntryParts()
	e.remember()
	return e
}

func goldenEntryParts() Entry {
	key := []types.Type{types.Of(types.Int)}
	value := []types.Type{types.Of(types.Int), types.String(), types.String()}
	one := stats.Binary{Min: serialize(key, num(1)), Max: serialize(key, num(3)), NullCounts: []int64{0}}
	return Entry{
		Kind: Add, Partition: serialize([]types.Type{types.String()}, str("20240101")), Bucket: 0, TotalBuckets: 4,
		File: &datafile.Meta{
			Name: "data-00000000-0000-0000-0000-000000000000-0.parquet", SizeBytes: 1234, RowCount: 3,
			MinKey: serialize(key, num(1)), MaxKey: serialize(key, num(3)), KeyStats: one,
			ValueStats: stats.Binary{
				Min: serialize(value, num(1), str("a"), str("20240101")),
				Max: serialize(value, num(3), str("c"), str("20240101")), NullCounts: []int64{0, 0, 0},
			},
			MinSequence: 0, MaxSequence: 2, CreationMillis: 1704067200000, DeleteRowCount: 0, Source: datafile.FromAppend,
			FirstRowID: datafile.Unknown,
		},
	}
}

func goldenMetaValue() FileMeta {
	p := serialize([]types.Type{types.String()}, str("20240101"))
	return FileMeta{
		Name: "manifest-00000000-0000-0000-0000-000000000000-0", SizeBytes: 2000, NumAdded: 1,
		Partitions: stats.Binary{Min: p, Max: p, NullCounts: []int64{0}}, HasBuckets: true, HasLevels: true,
		MinRowID: datafile.Unknown, MaxRowID: datafile.Unknown,
	}
}

func goldenIndexValue() IndexEntry {
	return IndexEntry{Partition: EmptyRow(), File: datafile.IndexFile{
		Type: DeletionVectors, Name: "index-x-0", SizeBytes: 31, RowCount: 1,
		Vectors: []datafile.VectorRange{{DataFile: "data-x-0.parquet", Offset: 1, Length: 22, Cardinality: 1}},
	}}
}

func TestGoldenRecords(t *testing.T) {
	e, m, i := goldenEntryValue(), goldenMetaValue(), goldenIndexValue()
	for _, c := range []struct {
		name, want string
		got        []byte
	}{
		{"entry", goldenEntry, appendEntry(nil, &e)},
		{"list", goldenList, appendFileMeta(nil, &m)},
		{"index", goldenIndex, appendIndexEntry(nil, &i)},
	} {
		if got := hex.EncodeToString(c.got); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	data, _ := hex.DecodeString(goldenEntry)
	plan, err := knownEntrySchema()
	if err != nil {
		t.Fatal(err)
	}
	back, err := readEntries(plan, nil, 1, &decoder{buf: data})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back[0], e) {
		t.Errorf("decoded %+v\n  file %+v\nwant file %+v", back[0], back[0].File, e.File)
	}
}

// TestForeignFiles reads manifests, lists and index manifests of many releases
// and checks what they say of one another's shape.
func TestForeignFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			ctx := t.Context()
			switch filepath.Ext(path) {
			case ".manifest":
				list, err := decodeEntries(ctx, data, &plans{})
				if err != nil || len(list) == 0 {
					t.Fatalf("%d entries, %v", len(list), err)
				}
				for _, e := range list {
					if e.File.SizeBytes == 0 || e.File.RowCount == 0 || len(e.Partition) < 12 || !strings.Contains(e.File.Name, ".") {
						t.Fatalf("entry %+v file %+v", e, e.File)
					}
				}
				reencode(t, list, func(c *containerWriter, e *Entry) { c.block = appendEntry(c.block, e) }, entrySchema, decodeEntries)
			case ".list":
				list, err := decodeList(ctx, data, &plans{})
				if err != nil || len(list) == 0 {
					t.Fatalf("%d manifests, %v", len(list), err)
				}
				for _, m := range list {
					if m.SizeBytes == 0 || m.NumAdded+m.NumDeleted == 0 {
						t.Fatalf("%+v", m)
					}
				}
				reencode(t, list, func(c *containerWriter, m *FileMeta) { c.block = appendFileMeta(c.block, m) }, listSchema, decodeList)
			case ".index":
				list, err := decodeIndex(ctx, data, &plans{})
				if err != nil || len(list) == 0 {
					t.Fatalf("%d index files, %v", len(list), err)
				}
				reencode(t, list, func(c *containerWriter, e *IndexEntry) { c.block = appendIndexEntry(c.block, e) }, indexSchema, decodeIndex)
			}
		})
	}
}

// reencode writes decoded records in each compression and reads them back.
func reencode[T any](
	t *testing.T, list []T, appendTo func(*containerWriter, *T), schema string,
	decode func(context.Context, []byte, *plans) ([]T, error),
) {
	t.Helper()
	for _, codec := range []Compression{codecZstd, codecNull, codecSnappy, codecDeflate} {
		c := newContainer(schema, codec)
		for i := range list {
			appendTo(c, &list[i])
			if err := c.endRecord(); err != nil {
				t.Fatal(err)
			}
		}
		data, err := c.finish()
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(t.Context(), data, &plans{})
		if err != nil {
			t.Fatalf("%s: %v", codec, err)
		}
		if !reflect.DeepEqual(back, list) {
			t.Fatalf("%s: read back differs:\n%+v\n%+v", codec, back, list)
		}
	}
}

func TestWriteAndRead(t *testing.T) {
	store := mem.New(nil)
	f := NewFiles(store, "/t", NewCache(-1))
	w := f.NewWriter(WriterOptions{PartitionTypes: []types.Type{types.String()}})
	metas, err := w.Entries(t.Context(), []Entry{goldenEntryValue()})
	if err != nil {
		t.Fatal(err)
	}
	want := goldenMetaValue()
	want.Name, want.SizeBytes = metas[0].Name, metas[0].SizeBytes
	if !reflect.DeepEqual(metas, []FileMeta{want}) {
		t.Fatalf("described as %+v, want %+v", metas, want)
	}
	name, size, err := w.List(t.Context(), metas)
	if err != nil {
		t.Fatal(err)
	}
	back, err := f.List(t.Context(), name, size)
	if err != nil || !reflect.DeepEqual(back, metas) {
		t.Fatalf("%+v, %v", back, err)
	}
	if _, err := f.List(t.Context(), name, size+1); err == nil {
		t.Fatal("a wrong size passed")
	}
	entries, err := f.Entries(t.Context(), metas[0].Name, metas[0].SizeBytes)
	if err != nil || !reflect.DeepEqual(entries, []Entry{goldenEntryValue()}) {
		t.Fatalf("%+v, %v", entries, err)
	}
	empty, size, err := w.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := f.List(t.Context(), empty, size); err != nil || len(back) != 0 {
		t.Fatalf("%+v, %v", back, err)
	}
	if got := w.Names(); len(got) != 3 || len(store.Paths()) != 3 {
		t.Fatalf("names %v, files %v", got, store.Paths())
	}
}
