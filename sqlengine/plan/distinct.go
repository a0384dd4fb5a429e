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

// checkDistinctOrder refuses an order of the rows of a DISTINCT by columns that are not
// selected, of which equal rows may have several values.
func checkDistinctOrder(ctx *sql.Context, d *hostplan.Distinct) error {
	p, ok := d.Child.(*hostplan.Project)
	if !ok || !sql.LoadSqlMode(ctx).ModeEnabled("ONLY_FULL_GROUP_BY") {
		return nil
	}
	order, ok := p.Child.(*hostplan.Sort)
	if !ok {
		return nil
	}
	known, texts := map[sql.ColumnId]bool{}, map[string]bool{}
	for _, e := range p.Projections {
		if a, ok := e.(*expression.Alias); ok {
			known[a.Id()], e = true, a.Child
		}
		if f, ok := e.(*expression.GetField); ok {
			known[f.Id()] = true
		}
		texts[e.String()] = true
	}
	for i, f := range order.SortFields {
		if _, alias := f.Column.(*expression.Alias); alias || texts[f.Column.String()] {
			continue
		}
		var missing *expression.GetField
		sql.Inspect(f.Column, func(e sql.Expression) bool {
			if g, ok := e.(*expression.GetField); ok && !known[g.Id()] {
				missing = g
			}
			_, query := e.(*hostplan.Subquery)
			return missing == nil && !query && !(e != nil && texts[e.String()])
		})
		if missing != nil {
			return bridge.Errorf(bridge.CodeDistinctOrder, "Expression #%d of ORDER BY clause is not in SELECT list, references column '%s' which is not in SELECT list; "+
				"this is incompatible with DISTINCT", i+1, fullName(missing))
		}
	}
	return nil
}
