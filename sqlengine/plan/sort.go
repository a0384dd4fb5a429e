package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// sort orders batches by columns of them.
func (b *Builder) sort(ctx *sql.Context, n *hostplan.Sort, q request) (columnar.Reader, bool, error) {
	ts, ok := typesOf(n)
	if !ok {
		return nil, false, nil
	}
	r, ok, err := b.reader(ctx, n.Child, q)
	if err != nil || !ok {
		return nil, ok, err
	}
	fields, _ := sortFields(n.SortFields, ts)
	return exec.NewSort(r, ts, fields, -1, bridge.Budget(ctx)), true, nil
}

// topN is sort that ends after a number of rows.
func (b *Builder) topN(ctx *sql.Context, n *hostplan.TopN) (columnar.Reader, bool, error) {
	ts, ok := typesOf(n)
	if !ok {
		return nil, false, nil
	}
	limit, ok := constant(ctx, n.Limit)
	if !ok {
		return nil, false, nil
	}
	r, ok, err := b.reader(ctx, n.Child, request{})
	if err != nil || !ok {
		return nil, ok, err
	}
	fields, _ := sortFields(n.Fields, ts)
	return exec.NewSort(r, ts, fields, int(limit), bridge.Budget(ctx)), true, nil
}

// sortFields are the columns of an order; ok is false when it calculates or
// compares otherwise than values of the columns' types do.
func sortFields(list sql.SortFields, ts []types.Type) (out []exec.SortField, ok bool) {
	for _, f := range list {
		c, ok := keyColumnOf(f.Column, ts)
		if !ok || f.NullOrdering != sql.NullsFirst {
			return nil, false
		}
		out = append(out, exec.SortField{Col: c, Desc: f.Order == sql.Descending})
	}
	return out, len(out) > 0
}

// sortTypes are the types of a sorted node's columns, if it can be sorted here.
func sortTypes(child sql.Node, list sql.SortFields) ([]types.Type, bool) {
	ts, ok := typesOf(child)
	if !ok {
		return nil, false
	}
	_, ok = sortFields(list, ts)
	return ts, ok
}

// distinctReader compiles a DISTINCT over batches.
func (b *Builder) distinctReader(ctx *sql.Context, child sql.Node, q request) (columnar.Reader, bool, error) {
	ts, ok := distinctTypes(child)
	if !ok {
		return nil, false, nil
	}
	r, ok, err := b.reader(ctx, child, q)
	if err != nil || !ok {
		return nil, ok, err
	}
	return exec.NewDistinct(r, ts, bridge.Budget(ctx)), true, nil
}

// distinctTypes are the types of a node's columns, if all compare by their values here.
func distinctTypes(child sql.Node) ([]types.Type, bool) {
	ts, ok := typesOf(child)
	if !ok || len(ts) == 0 {
		return nil, false
	}
	for i, c := range child.Schema() {
		if s, ok := c.Type.(sql.StringType); ok && s.Collation() != sql.Collation_binary && s.Collation() != sql.Collation_Default {
			return nil, false
		}
		if !exec.CanNumber(ts[i]) {
			return nil, false
		}
	}
	return ts, true
}
