package damage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/harness"
)

const dir = "/wh/default.db/t"

func now() time.Time { return time.UnixMilli(1_700_000_000_000) }

// table is a good table: its files, and what reads of it return.
type table struct {
	name  string
	keyed bool
	// plainManifests and plainData say that Avro files are not compressed: they have
	// no checksums then.
	plainManifests, plainData bool
	store                     *mem.Store
	files                     map[string][]byte
	good                      answers
}

// answers are what reads of a table return, as sorted texts of rows.
type answers struct {
	newest, tag, byKey, written []string
}

// layouts are the good tables.
func layouts() map[string]map[string]string {
	return map[string]map[string]string{
		"parquet fixed":   {"bucket": "2", "file.compression": "none", "manifest.compression": "none"},
		"avro dynamic":    {"bucket": "-1", "file.format": "avro", "dynamic-bucket.target-row-num": "30"},
		"parquet zstd":    {"bucket": "1", "metadata.stats-mode": "full", "file.block-size": "4 kb"},
		"append":          {"append": "yes", "bucket": "-1"},
		"indexed":         {"append": "yes", "bucket": "-1", "file-index.bloom-filter.columns": "k,v", "file-index.in-manifest-threshold": "1 b"},
		"append bucketed": {"append": "yes", "bucket": "2", "bucket-key": "k", "file.format": "avro", "file.compression": "none"},
	}
}

func definition(options map[string]string) schema.Definition {
	o := maps.Clone(options)
	o["write-only"] = "true"
	o["commit.max-retries"], o["commit.min-retry-wait"], o["commit.max-retry-wait"] = "1", "1 ms", "1 ms"
	keyed := o["append"] == ""
	delete(o, "append")
	d := schema.Definition{
		Fields: []types.Field{
			{Name: "k", Type: types.Of(types.Int).WithNotNull(keyed)},
			{Name: "p", Type: types.String().WithNotNull(keyed)},
			{Name: "v", Type: types.String()},
			{Name: "d", Type: types.Dec(20, 2)},
			{Name: "a", Type: types.ArrayOf(types.Of(types.Int))},
		},
		PartitionKeys: []string{"p"}, Options: o,
	}
	if keyed {
		d.PrimaryKeys = []string{"k", "p"}
	}
	return d
}

func row(i, round int) harness.Row {
	v := columnar.StringValue(fmt.Sprintf("value %d of round %d", i, round))
	if i%7 == 0 {
		v = columnar.NullValue
	}
	return harness.Row{
		columnar.IntValue(int64(i)), columnar.StringValue([]string{"one", "two"}[i%2]), v,
		{I: int64(i * 100)}, columnar.StringValue(fmt.Sprintf("%d,N,%d,", i, round)),
	}
}

func rows(from, to, round int) (out []harness.Row) {
	for i := from; i < to; i++ {
		out = append(out, row(i, round))
	}
	return out
}

// newTable makes a table with four snapshots, two schemas and a tag.
func newTable(ctx context.Context, name string, options map[string]string) (*table, error) {
	t := &table{name: name, keyed: options["append"] == "", plainManifests: options["manifest.compression"] == "none", plainData: options["file.compression"] == "none", store: mem.New(now)}
	env := storage.NewEnv(storage.Config{Store: t.store, Now: now})
	defer env.Close()
	tb, err := storage.Create(ctx, env, dir, definition(options))
	if err != nil {
		return nil, err
	}
	put := func(r []harness.Row, k types.RowKind) error {
		_, err := harness.Write(ctx, tb, storage.WriteOptions{}, r, slices.Repeat([]types.RowKind{k}, len(r)))
		return err
	}
	steps := []func() error{
		func() error { return put(rows(0, 60, 1), types.Insert) },
		func() error { return tb.CreateTag(ctx, "first", 0, 0) },
		func() error { return put(rows(40, 90, 2), types.Insert) },
		func() error { _, err := tb.Compact(ctx, storage.CompactOptions{Full: true}); return err },
		func() error {
			_, err := tb.Alter(ctx, []schema.Change{schema.AddColumn{Path: []string{"x"}, Type: types.Of(types.BigInt)}})
			return err
		},
		func() error {
			more := rows(80, 100, 3)
			for i := range more {
				more[i] = append(more[i], columnar.IntValue(int64(i)))
			}
			return put(more, types.Insert)
		},
		func() error {
			if !t.keyed {
				return nil
			}
			gone := rows(0, 5, 1)
			for i := range gone {
				gone[i] = append(gone[i], columnar.NullValue)
			}
			return put(gone, types.Delete)
		},
	}
	for i, f := range steps {
		if err := f(); err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
	}
	t.files = map[string][]byte{}
	for _, p := range t.store.Paths() {
		if t.files[p], err = fileio.ReadFile(ctx, t.store, p); err != nil {
			return nil, err
		}
	}
	var errs [4]error
	t.good, errs = t.read(ctx, t.store.Clone())
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// read reads the table in a store in several ways, and writes to it.
func (t *table) read(ctx context.Context, store *mem.Store) (a answers, errs [4]error) {
	env := storage.NewEnv(storage.Config{Store: store, Now: now})
	defer env.Close()
	tb, err := storage.Open(ctx, env, dir)
	if err != nil {
		return a, [4]error{err, err, err, err}
	}
	a.newest, errs[0] = all(ctx, tb, storage.ViewOptions{}, nil)
	a.tag, errs[1] = all(ctx, tb, storage.ViewOptions{AsOf: storage.AsOf{Version: "first"}}, nil)
	a.byKey, errs[2] = all(ctx, tb, storage.ViewOptions{}, func(fields []types.Field) *predicate.Node {
		return predicate.And(
			predicate.Eq(0, fields[0].Type, columnar.IntValue(85)), predicate.Eq(1, fields[1].Type, columnar.StringValue("two")))
	})
	errs[3] = t.write(ctx, tb)
	if errs[3] == nil {
		a.written, errs[3] = all(ctx, tb, storage.ViewOptions{}, nil)
	}
	return a, errs
}

// write adds a row; its columns are those that the schema has now.
func (t *table) write(ctx context.Context, tb *storage.Table) error {
	s, err := tb.Schema(ctx)
	if err != nil {
		return err
	}
	r := make(harness.Row, len(s.Fields))
	for i, f := range s.Fields {
		switch columnar.LayoutOf(f.Type) {
		case columnar.Str:
			r[i] = columnar.StringValue("two")
		case columnar.I32, columnar.I64:
			r[i] = columnar.IntValue(85)
		default:
			r[i] = columnar.NullValue
		}
	}
	_, err = harness.Write(ctx, tb, storage.WriteOptions{}, []harness.Row{r}, nil)
	return err
}

// all reads a version. Rows that a filter lets through but that do not match are
// left out.
func all(ctx context.Context, tb *storage.Table, o storage.ViewOptions, filter func([]types.Field) *predicate.Node) ([]string, error) {
	v, err := tb.View(ctx, o)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	fields := v.Schema().Fields
	so := storage.ScanOptions{Columns: harness.All(fields)}
	if filter != nil {
		so.Filter = filter(fields)
	}
	s, err := v.Scan(ctx, so)
	if err != nil {
		return nil, err
	}
	got, err := harness.ReadAll(ctx, s.Reader())
	if err != nil {
		return nil, err
	}
	if filter != nil {
		got = slices.DeleteFunc(got, func(r harness.Row) bool { return r[0].I != 85 || r[1].S != "two" })
	}
	return harness.Texts(fields, got), nil
}

// kindOf names the kind of a file.
func kindOf(path string) string {
	for _, k := range []string{"/schema/", "/tag/", "/snapshot/snapshot-", "/snapshot/", "/manifest/manifest-list-", "/manifest/index-", "/manifest/", "/index/"} {
		if strings.Contains(path, k) {
			return map[string]string{
				"/schema/": "schema", "/tag/": "tag", "/snapshot/snapshot-": "snapshot", "/snapshot/": "pointer file",
				"/manifest/manifest-list-": "manifest list", "/manifest/index-": "index manifest", "/manifest/": "manifest", "/index/": "hash index",
			}[k]
		}
	}
	if strings.HasSuffix(path, ".index") {
		return "file index"
	}
	return path[strings.LastIndexByte(path, '.')+1:] + " data"
}
