package plan

import (
	"errors"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// afresh is a copy of a plan that has run, without the rows that its parts keep from
// then: a statement that runs again reads newer versions of its tables. caches are
// those of the copy, which the host does not know.
func (b *Builder) afresh(n sql.Node) (out sql.Node, caches []*hostplan.CachedResults, err error) {
	var expr transform.ExprFunc
	node := func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		n, _, err := transform.OneNodeExpressions(n, expr)
		if err != nil {
			return nil, transform.SameTree, err
		}
		switch x := n.(type) {
		case *hostplan.HashLookup:
			n = hostplan.NewHashLookup(x.Child, x.RightEntryKey, x.LeftProbeKey, x.JoinType)
		case *hostplan.CachedResults:
			c := hostplan.NewCachedResults(x.Child)
			caches = append(caches, c)
			n = c
		case *hostplan.Max1Row:
			c := *x
			c.Result, c.EmptyResult, c.Mu = nil, false, &sync.Mutex{}
			n = &c
		}
		return n, transform.NewTree, nil
	}
	expr = func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch x := e.(type) {
		case *hostplan.Subquery:
			q, _, err := transform.NodeWithOpaque(x.Query, node)
			if err != nil {
				return nil, transform.SameTree, err
			}
			return b.freshQuery(x, q), transform.NewTree, nil
		case *member:
			return newMember(x.left, x.sub), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	}
	out, _, err = transform.NodeWithOpaque(n, node)
	return out, caches, err
}

// freshQuery is a subquery expression over the plan n that has not run.
func (b *Builder) freshQuery(q *hostplan.Subquery, n sql.Node) *hostplan.Subquery {
	out := hostplan.NewSubquery(n, q.QueryString).WithCorrelated(q.Correlated()).WithExecBuilder(b)
	if q.Volatile() {
		out = out.WithVolatile()
	}
	return out
}

// freshIter are the rows of a plan of afresh.
type freshIter struct {
	sql.RowIter
	caches []*hostplan.CachedResults
}

// GetIter gives the iterator below to whoever looks for one of another kind.
func (it *freshIter) GetIter() sql.RowIter { return it.RowIter }

// Close implements sql.RowIter.
func (it *freshIter) Close(ctx *sql.Context) error {
	err := it.RowIter.Close(ctx)
	for _, c := range it.caches {
		c.Dispose()
	}
	return err
}

// buildAfresh builds a plan that has run before.
func (b *Builder) buildAfresh(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	fresh, caches, err := b.afresh(n)
	if err != nil {
		return nil, err
	}
	in, err := b.Build(ctx, fresh, row)
	it := &freshIter{in, caches}
	if err != nil {
		it.RowIter = sql.RowsToRowIter()
		return nil, errors.Join(err, it.Close(ctx))
	}
	return it, nil
}
