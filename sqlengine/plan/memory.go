package plan

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// checkEvery is after how many new keys an operator over rows looks at what its
// table of keys holds.
const checkEvery = 1024

// meterRule is the number of the rule that adds meters.
const meterRule analyzer.RuleId = 10_002

// AddMeters makes the host's analyzer put meters where the host keeps rows: it
// counts nothing of its own. They come last, over what all other rules made. Plans
// are mended just before.
func AddMeters(a *analyzer.Analyzer) {
	wrapJoins(a)
	rules := []analyzer.Rule{{Id: mendRule, Apply: mendPlan}, {Id: meterRule, Apply: addMeters}}
	a.Batches = append(a.Batches, &analyzer.Batch{Desc: "meters", Iterations: 1, Rules: rules})
	// The host plans simple UPDATE, DELETE and INSERT by this process-wide list.
	for _, x := range analyzer.OnceAfterAll {
		if x.Id == meterRule {
			return
		}
	}
	all := analyzer.OnceAfterAll
	analyzer.OnceAfterAll = append(all[:len(all):len(all)], rules...)
}

// addMeters puts meters under hash joins and caches, and over the queries of
// expressions, whose rows the host gathers.
func addMeters(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *hostplan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return withMeters(n)
}

func withMeters(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		n, same, err := transform.OneNodeExpressions(n, meteredQuery)
		if err != nil {
			return nil, transform.SameTree, err
		}
		what := ""
		switch x := n.(type) {
		case *hostplan.HashLookup:
			if _, cached := x.Child.(*hostplan.CachedResults); !cached { // whose rows are the same
				what = "a hash join"
			}
		case *hostplan.CachedResults:
			what = "a table or subquery that is joined"
		}
		if what == "" {
			return n, same, nil
		}
		child := n.Children()[0]
		if _, ok := child.(*meter); ok {
			return n, same, nil
		}
		n, err = n.WithChildren(newMeter(child, what))
		return n, transform.NewTree, err
	})
}

// meteredQuery meters the query of a subquery expression, and what is below it.
func meteredQuery(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	q, ok := e.(*hostplan.Subquery)
	if !ok {
		return e, transform.SameTree, nil
	}
	if _, ok := q.Query.(*meter); ok {
		return e, transform.SameTree, nil
	}
	n, _, err := withMeters(q.Query)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return q.WithQuery(newMeter(n, "a subquery")), transform.NewTree, nil
}

// meter counts the rows that pass it against the server's memory until the
// statement ends, for a holder above it that counts nothing. When it runs again,
// what was kept of its rows before is taken for gone.
type meter struct {
	hostplan.UnaryNode
	id *meterID // of all copies of the node
}

// meterID is what a meter is called in errors; its address is its identity.
type meterID struct{ what string }

var (
	_ sql.Node                       = (*meter)(nil)
	_ sql.CollationCoercible         = (*meter)(nil)
	_ interface{ IsReadOnly() bool } = (*meter)(nil)
)

func newMeter(child sql.Node, what string) *meter {
	return &meter{UnaryNode: hostplan.UnaryNode{Child: child}, id: &meterID{what}}
}

// String implements fmt.Stringer: the node is not shown.
func (m *meter) String() string { return m.Child.String() }

// DebugString implements sql.DebugStringer.
func (m *meter) DebugString() string { return sql.DebugString(m.Child) }

// IsReadOnly implements sql.Node.
func (m *meter) IsReadOnly() bool { return m.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (m *meter) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	return &meter{UnaryNode: hostplan.UnaryNode{Child: children[0]}, id: m.id}, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (m *meter) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, m.Child)
}

// meter runs a meter.
func (b *Builder) meter(ctx *sql.Context, m *meter, row sql.Row) (sql.RowIter, error) {
	// Below a join the row is that of the other side, which batches do not see.
	in, err := b.compile(ctx, m.Child)
	if in == nil && err == nil {
		in, err = b.host.Build(ctx, m.Child, row)
	}
	if err != nil || hostplan.IsEmptyIter(in) {
		return in, err
	}
	s, err := bridge.SessionOf(ctx)
	if err != nil {
		return nil, errors.Join(err, in.Close(ctx))
	}
	mem := s.Keep(m.id, m.id.what)
	return &meterIter{in: in, mem: mem}, mem.To(0)
}

// keptBytes is about what a kept row takes beside its values.
const keptBytes = 48

type meterIter struct {
	in   sql.RowIter
	mem  *membudget.Holder
	done bool
}

// Next implements sql.RowIter.
func (it *meterIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := it.in.Next(ctx)
	if err != nil {
		it.done = it.done || errors.Is(err, io.EOF)
		return nil, err
	}
	return row, it.mem.More(keptBytes + bridge.RowBytes(row))
}

// Close implements sql.RowIter. Rows that nobody read to the end are not kept.
func (it *meterIter) Close(ctx *sql.Context) error {
	if !it.done {
		it.mem.Close()
	}
	return it.in.Close(ctx)
}
