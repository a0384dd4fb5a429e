package plan

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
)

// distinct passes the first of the rows of each key.
func (b *Builder) distinct(ctx *sql.Context, n, child sql.Node, row sql.Row) (sql.RowIter, error) {
	if len(row) == 0 {
		if it, err := b.compile(ctx, n); it != nil || err != nil {
			return it, err
		}
	}
	in, err := b.Build(ctx, child, row)
	if err != nil {
		return nil, err
	}
	return newDistinctIter(ctx, in, child.Schema()), nil
}

type distinctIter struct {
	in   sql.RowIter
	key  *rowKey
	seen *exec.KeyTable
	mem  *membudget.Holder
	buf  []byte
}

func newDistinctIter(ctx *sql.Context, in sql.RowIter, s sql.Schema) *distinctIter {
	return &distinctIter{in: in, key: newRowKey(typesOfSchema(s)), seen: exec.NewKeyTable(), mem: bridge.Budget(ctx).Holder("DISTINCT")}
}

// Next implements sql.RowIter.
func (it *distinctIter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := it.in.Next(ctx)
		if err != nil {
			return nil, err
		}
		if it.buf, err = it.key.appendRow(ctx, it.buf[:0], row); err != nil {
			return nil, err
		}
		n, isNew := it.seen.Insert(it.buf)
		if !isNew {
			continue
		}
		if n%checkEvery == 0 {
			if err := it.mem.To(it.seen.Bytes()); err != nil {
				return nil, err
			}
		}
		return row, nil
	}
}

// Close implements sql.RowIter.
func (it *distinctIter) Close(ctx *sql.Context) error {
	it.seen = exec.NewKeyTable()
	it.mem.Close()
	return it.in.Close(ctx)
}

// sortBelowDistinct mends a sort by position that the host hoists over DISTINCT, where
// only the results are: one by results of window functions goes back to where these
// are known, one by other expressions names their results.
func sortBelowDistinct(s *hostplan.Sort) (sql.Node, bool) {
	d, ok := s.Child.(*hostplan.Distinct)
	if !ok {
		return nil, false
	}
	p, ok := d.Child.(*hostplan.Project)
	if !ok {
		return nil, false
	}
	if _, ok := p.Child.(*hostplan.Window); !ok {
		return sortByResult(s)
	}
	return hostplan.NewDistinct(hostplan.NewProject(p.Projections, hostplan.NewSort(s.SortFields, p.Child))), true
}

// sortByResult makes a sort over DISTINCT order by the select list's results, where it
// would calculate them again from columns that are gone.
func sortByResult(s *hostplan.Sort) (sql.Node, bool) {
	fields := slices.Clone(s.SortFields)
	changed := false
	for i, f := range fields {
		if a, ok := f.Column.(*expression.Alias); ok {
			fields[i].Column = expression.NewGetField(int(a.Id()), a.Type(), a.Name(), a.IsNullable())
			changed = true
		}
	}
	return hostplan.NewSort(fields, s.Child), changed
}
