package lsm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/avro"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/format/parquet"
	"github.com/lakesql/lakesql/storage/lsm/compact"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// oneSchema is a table whose schema never changes.
type oneSchema struct{ s *schema.Schema }

func (o oneSchema) Get(context.Context, int64) (*schema.Schema, error) { return o.s, nil }

// realFiles are the data files of one bucket of a table, through datafile.
type realFiles struct {
	Read      datafile.ReadConfig
	Store     fileio.Store
	Partition []byte // serialised partition row
	Bucket    int
	Names     *datafile.Names
	Layout    func(level int) (*datafile.Layout, error)
	Now       func() time.Time
}

var _ Files = (*realFiles)(nil)

// Open reads all columns of a file in the schema of Read, with sequence numbers and
// exact row kinds.
func (d *realFiles) Open(ctx context.Context, m *datafile.Meta) (columnar.Reader, error) {
	return datafile.Open(ctx, d.Read, datafile.File{Partition: d.Partition, Bucket: d.Bucket, Meta: m},
		datafile.ReadRequest{Fields: d.Read.Schema.Fields, Sequence: true, Kinds: true, ExactKinds: true, BatchRows: blockRows})
}

// blockRows is how many rows of a run are decoded at once: a page of the files we write.
const blockRows = 8192

// Create prepares to write files of a level. Those of level 0 are written in the
// way that is cheapest to write and to read again soon.
func (d *realFiles) Create(level int, source datafile.Source) (compact.Writer, error) {
	l, err := d.Layout(level)
	if err != nil {
		return nil, err
	}
	dir, err := d.Read.Paths.BucketDir(d.Partition, d.Bucket)
	if err != nil {
		return nil, err
	}
	return datafile.NewWriter(datafile.WriterConfig{
		Store: d.Store, Dir: dir, Names: d.Names, Formats: d.Read.Formats, Layout: l, Source: source, Lean: level == 0, Now: d.Now(),
	})
}

// Delete removes a file.
func (d *realFiles) Delete(ctx context.Context, m *datafile.Meta) error {
	path, err := d.Read.Paths.File(d.Partition, d.Bucket, m)
	if err != nil {
		return err
	}
	if err := d.Store.Delete(ctx, path); err != nil {
		return fmt.Errorf("delete %s: %w", path, err)
	}
	return nil
}

// dataFiles is a bucket of a table with the columns of bucketTypes in a store in memory.
func dataFiles(t *testing.T, f format.Format) (*realFiles, fileio.Store) {
	t.Helper()
	s := &schema.Schema{
		Version: 3, HighestFieldID: 3, PrimaryKeys: []string{"a", "b"},
		Options: map[string]string{"file.format": f.Name(), "bucket": "1", "target-file-size": "20 kb"},
	}
	for i, name := range []string{"a", "b", "f", "id"} {
		s.Fields = append(s.Fields, types.Field{ID: i, Name: name, Type: bucketTypes[i]})
	}
	o, err := s.Table()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := datafile.NewPaths(datafile.PathConfig{TableDir: "/t"})
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	store := mem.New(now)
	return &realFiles{
		Read: datafile.ReadConfig{
			Store: store, Paths: paths, Formats: map[string]format.Format{f.Name(): f}, Schemas: oneSchema{s}, Schema: s,
		},
		Store: store, Partition: row.Serialize(nil, nil), Now: now,
		Names:  &datafile.Names{DataPrefix: "data-", ChangelogPrefix: "changelog-", UUID: "u"},
		Layout: func(level int) (*datafile.Layout, error) { return datafile.NewLayout(s, o, level, false) },
	}, store
}

// TestDataFiles writes, compacts and reads a bucket through real files, in batches
// that do not fit the pages.
func TestDataFiles(t *testing.T) {
	ctx := context.Background()
	pool := codec.NewPool()
	for _, f := range []format.Format{avro.New(pool), parquet.New(pool)} {
		for _, fields := range [][]int{nil, {2}} {
			t.Run(fmt.Sprintf("%s/sequence=%v", f.Name(), fields), func(t *testing.T) {
				files, store := dataFiles(t, f)
				c := Config{Types: bucketTypes, Key: []int{0, 1}, SequenceFields: fields, Files: files, NumLevels: 6, SmallBytes: 10_000, TotalBuckets: 1, Partition: files.Partition}
				b, err := openTree(c, nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(3, 3))
				var all []write
				for range 5 {
					for range 2 {
						ws := make([]write, 1700)
						for i := range ws {
							ws[i] = write{
								k1: rng.Int64N(20), k2: fmt.Sprintf("key number %03d", rng.IntN(300)), f: columnar.IntValue(rng.Int64N(1000)),
								kind: []types.RowKind{types.Insert, types.UpdateAfter, types.Insert, types.Delete}[rng.IntN(4)],
								id:   fmt.Sprintf("value %d of %d", i, len(all)), seq: b.next + int64(i),
							}
							if rng.IntN(9) == 0 {
								ws[i].f = columnar.NullValue
							}
						}
						if err := b.write(ctx, toBatch(ws)); err != nil {
							t.Fatal(err)
						}
						all = append(all, ws...)
					}
					if err := b.flush(ctx); err != nil {
						t.Fatal(err)
					}
					if got, want := readAll(t, b), texts(newest(&c, all)); !slices.Equal(got, want) {
						t.Fatalf("got %d rows, want %d", len(got), len(want))
					}
				}
				before := len(b.levels.Files())
				if err := b.compact(ctx); err != nil {
					t.Fatal(err)
				}
				all = newest(&c, all)
				if got := readAll(t, b); !slices.Equal(got, texts(all)) {
					t.Fatalf("after compaction got %d rows, want %d", len(got), len(all))
				}
				inc := b.increment()
				if len(inc.NewFiles) != before || len(inc.CompactBefore) != before || len(inc.CompactAfter) < 2 {
					t.Fatalf("%d new files, compacted from %d to %d, of %d", len(inc.NewFiles), len(inc.CompactBefore), len(inc.CompactAfter), before)
				}
				rows := int64(0)
				for _, m := range inc.CompactAfter {
					rows += m.RowCount
					if m.Level != 5 || m.DeleteRowCount != 0 || m.Source != datafile.FromCompact {
						t.Fatalf("%+v", m)
					}
				}
				if rows != int64(len(all)) {
					t.Fatalf("%d rows in files, want %d", rows, len(all))
				}

				// What was not handed over is removed.
				if err := b.write(ctx, toBatch([]write{{k2: "x", id: "late"}})); err != nil {
					t.Fatal(err)
				}
				if err := b.compact(ctx); err != nil {
					t.Fatal(err)
				}
				if err := b.abort(ctx); err != nil {
					t.Fatal(err)
				}
				left, err := store.List(ctx, "/t/bucket-0")
				if err != nil {
					t.Fatal(err)
				}
				if len(left) != len(inc.NewFiles)+len(inc.CompactAfter) {
					t.Fatalf("%d files left, want %d", len(left), len(inc.NewFiles)+len(inc.CompactAfter))
				}
			})
		}
	}
}
