package plan

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/exec"
)

// keptRows are rows in memory, by number.
type keptRows interface {
	count() int
	// fill sets the columns cols of dst to those of row i; nil: all.
	fill(dst sql.Row, i int, cols []int)
}

// keyIndex finds kept rows by the values of expressions over them: a table of
// distinct keys, and the rows of each in their order. Rows with a NULL in their key,
// which is equal to nothing, are left out.
type keyIndex struct {
	keys  []probeKey
	table *exec.KeyTable
	start []int32 // rows of key n are rows[start[n]:start[n+1]]
	rows  []int32
	other []int32 // rows that may be equal to any key
	buf   []byte
}

// ctxEvery is after how many rows a loop over them looks at the context.
const ctxEvery = 4096

// newKeyIndex makes the index of rows that have width columns. It is nil when mem
// does not have the memory.
func newKeyIndex(ctx *sql.Context, rows keptRows, width int, keys []probeKey, mem *membudget.Holder) (*keyIndex, error) {
	x := &keyIndex{keys: keys, table: exec.NewKeyTable()}
	cols := columnsOf(keys)
	row := make(sql.Row, width)
	number := make([]int32, rows.count()) // of the row's key; -1: none
	for i := range number {
		if i%ctxEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if mem.To(x.table.Bytes()+8*int64(len(number))) != nil {
				mem.Close()
				return nil, nil
			}
		}
		rows.fill(row, i, cols)
		number[i] = -1
		found, any, err := x.key(ctx, row, probeKey.inside)
		switch {
		case err != nil:
			return nil, err
		case any:
			x.other = append(x.other, int32(i))
		case found:
			n, _ := x.table.Insert(x.buf)
			number[i] = int32(n)
		}
	}
	x.group(number)
	return x, nil
}

// group sorts the rows by the numbers of their keys.
func (x *keyIndex) group(number []int32) {
	x.start = make([]int32, x.table.Len()+1)
	for _, n := range number {
		if n >= 0 {
			x.start[n+1]++
		}
	}
	for n := range x.table.Len() {
		x.start[n+1] += x.start[n]
	}
	x.rows = make([]int32, x.start[x.table.Len()])
	next := slices.Clone(x.start)
	for i, n := range number {
		if n >= 0 {
			x.rows[next[n]] = int32(i)
			next[n]++
		}
	}
}

// columnsOf are the columns that the inner sides of keys name.
func columnsOf(keys []probeKey) []int {
	var cols []int
	for _, k := range keys {
		sql.Inspect(k.inner, func(e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok && !slices.Contains(cols, f.Index()) {
				cols = append(cols, f.Index())
			}
			return true
		})
	}
	return cols
}

func (k probeKey) inside(row sql.Row) (sql.Expression, sql.Row) { return k.inner, row }

// key writes a key to x.buf. found is false when it has a NULL that is equal to
// nothing, any is true when it may be equal to all.
func (x *keyIndex) key(ctx *sql.Context, row sql.Row, side func(probeKey, sql.Row) (sql.Expression, sql.Row)) (found, any bool, err error) {
	x.buf = x.buf[:0]
	for _, k := range x.keys {
		e, r := side(k, row)
		v, err := e.Eval(ctx, r)
		if err != nil {
			return false, false, err
		}
		if v == nil {
			if !k.nulls {
				return false, false, nil
			}
			x.buf = append(x.buf, 0)
			continue
		}
		var ok bool
		if x.buf, ok, err = k.class.append(ctx, append(x.buf, 1), v); err != nil {
			return false, false, err
		}
		any = any || !ok
	}
	return !any, any, nil
}

// find returns the rows that may be equal to the outer rows, in ascending order;
// all is true when any may be.
func (x *keyIndex) find(ctx *sql.Context, outer [scopes]sql.Row) (rows []int32, all bool, err error) {
	found, any, err := x.key(ctx, nil, func(k probeKey, _ sql.Row) (sql.Expression, sql.Row) { return k.outer, outer[k.scope] })
	if err != nil || any {
		return nil, any, err
	}
	if found {
		if n := x.table.Find(x.buf); n >= 0 {
			rows = x.rows[x.start[n]:x.start[n+1]]
		}
	}
	if len(x.other) > 0 {
		rows = append(slices.Clone(rows), x.other...)
		slices.Sort(rows)
	}
	return rows, false, nil
}
