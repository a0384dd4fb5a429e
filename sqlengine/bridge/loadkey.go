package bridge

import (
	"hash/maphash"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// loadKeys writes the rows of a file of which the keys matter: with IGNORE the first
// row of a key stays, with REPLACE rows are counted that others take the place of.
// Rows are looked up in chunks; the keys of the file are kept.
type loadKeys struct {
	*loader
	columns []int
	read    []int // columns of the rows that exist that are read
	chunk   []*columnar.Batch
	bytes   int64             // of chunk
	most    int64             // how many are looked up at once
	seen    map[string]uint64 // keys that were written, with REPLACE the hash of their row
	seed    maphash.Seed
	buf     []byte
	keys    *membudget.Holder
	rows    *membudget.Holder
}

// chunkBytes is how much of a file is looked up at once, where there is memory for it.
const chunkBytes = 64 << 20

func newLoadKeys(l *loader) *loadKeys {
	budget := Budget(l.ctx)
	k := &loadKeys{
		loader: l, columns: l.Table.keyColumns(), seen: map[string]uint64{}, seed: maphash.MakeSeed(),
		keys: budget.Holder("the keys of the file"), rows: budget.Holder("rows of the file and the keys that they are looked up by"),
	}
	k.most = chunkBytes
	if whole := budget.Limit(); whole > 0 {
		k.most = min(k.most, whole/16)
	}
	k.read = k.columns
	if l.Replace {
		all := *l.Table
		all.project = nil
		k.read = all.Columns()
	}
	return k
}

// hash is that of a row, 0 where rows do not matter.
func (k *loadKeys) hash(b *columnar.Batch, i int) uint64 {
	if !k.Replace {
		return 0
	}
	k.buf = row.AppendRow(k.buf[:0], b.Cols, i)
	return maphash.Bytes(k.seed, k.buf)
}

func (k *loadKeys) close() {
	k.keys.Close()
	k.rows.Close()
}

// add takes a batch of the file.
func (k *loadKeys) add(b *columnar.Batch) error {
	if err := k.rows.More(3 * b.SizeBytes()); err != nil { // with its keys
		return err
	}
	k.chunk = append(k.chunk, b.Clone())
	if k.bytes += b.SizeBytes(); k.bytes < k.most {
		return nil
	}
	return k.write()
}

// write looks the chunk up and writes it.
func (k *loadKeys) write() error {
	rows := 0
	for _, b := range k.chunk {
		rows += b.N
	}
	in := &incoming{keys: make([]string, 0, rows)}
	for _, b := range k.chunk {
		cols := pick(b.Cols, k.columns)
		for c, col := range cols {
			if col.NullCount() > 0 {
				return Errorf(CodeBadNull, "Column '%s' cannot be null", k.Table.schema.Fields[k.columns[c]].Name)
			}
		}
		for i := range b.N {
			k.buf = row.AppendNormalized(k.buf[:0], cols, i)
			in.keys = append(in.keys, string(k.buf))
			if rows > maxKeyList {
				continue
			}
			vals := make([]columnar.Value, len(cols))
			for c, col := range cols {
				vals[c] = col.Value(i)
			}
			in.vals = append(in.vals, vals)
		}
	}
	have := map[string]uint64{}
	if err := k.Table.eachExisting(k.ctx, in, k.read, func(key string, b *columnar.Batch, i int) error {
		have[key] = k.hash(b, i)
		return k.rows.More(int64(len(key)))
	}); err != nil {
		return err
	}
	at := 0
	for _, b := range k.chunk {
		if err := k.batch(b, in.keys[at:at+b.N], have); err != nil {
			return err
		}
		at += b.N
	}
	k.chunk, k.bytes = nil, 0
	return k.rows.To(0)
}

// batch writes the rows of a batch that count. A row in the place of an equal one is
// no deletion.
func (k *loadKeys) batch(b *columnar.Batch, keys []string, have map[string]uint64) error {
	b.Sel, b.Kinds = make([]uint16, 0, b.N), make([]types.RowKind, b.N)
	for i, key := range keys {
		old, wrote := k.seen[key]
		exists := wrote
		if !wrote {
			old, exists = have[key]
		}
		if exists && !k.Replace {
			k.skipped++
			k.ctx.Warn(CodeDuplicateEntry.Num, "Duplicate entry for key 'PRIMARY' of table '%s'", k.Table.name)
			continue
		}
		now := k.hash(b, i)
		if exists {
			b.Kinds[i] = types.UpdateAfter
			if now != old {
				k.deleted++
			}
		}
		if !wrote {
			if err := k.keys.More(int64(len(key)) + mapEntryBytes); err != nil {
				return err
			}
		}
		k.seen[key] = now
		b.Sel = append(b.Sel, uint16(i))
	}
	return k.out.add(k.ctx, b)
}

// mapEntryBytes is about what a map takes for a text besides its bytes.
const mapEntryBytes = 32

// eachExisting calls f for the table's rows that have one of the keys; their batches
// have the given columns.
func (t *Table) eachExisting(ctx *sql.Context, in *incoming, columns []int, f func(key string, b *columnar.Batch, i int) error) error {
	want := make(map[string]bool, len(in.keys))
	for _, k := range in.keys {
		want[k] = true
	}
	read := *t
	read.project = columns
	var o ScanOptions
	if len(in.vals) == len(in.keys) {
		o.Filter = t.keyFilter(in.vals)
	}
	scan, err := read.Scan(ctx, o)
	if err != nil {
		return err
	}
	r := scan.Reader()
	defer r.Close()
	at := t.keyColumns()
	for i, k := range at {
		for j, c := range columns {
			if c == k {
				at[i] = j
			}
		}
	}
	var norm []byte
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		cols := pick(b.Cols, at)
		for n := range b.Rows() {
			i := n
			if b.Sel != nil {
				i = int(b.Sel[n])
			}
			norm = row.AppendNormalized(norm[:0], cols, i)
			if !want[string(norm)] {
				continue
			}
			if err := f(string(norm), b, i); err != nil {
				return err
			}
		}
	}
}
