package plan

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// keptNode keeps the rows of a part of a plan that gives the same ones in every run,
// such as a derived table or a join: as exec.Kept does, from the second run on and
// while half of the memory is free.
type keptNode struct {
	rows   hostRows
	runs   int
	state  keptNodeState
	mem    *membudget.Holder
	budget *membudget.Budget
}

type keptNodeState int

const (
	nodeNotKept keptNodeState = iota
	nodeKept
	nodeTooLarge
)

func newKeptNode(budget *membudget.Budget) *keptNode {
	return &keptNode{budget: budget, mem: budget.Holder("rows that are read again")}
}

// Close gives up the rows.
func (k *keptNode) Close() {
	k.mem.Close()
	k.rows, k.state = nil, nodeTooLarge
}

// run begins a run, whose rows build gives; cut is how many columns they begin with
// that are not the node's. kept says that the rows are in k.
func (k *keptNode) run(ctx *sql.Context, build func() (sql.RowIter, error), cut int) (kept bool, err error) {
	if k.runs++; k.runs > 1 && k.state == nodeNotKept {
		in, err := build()
		if err != nil {
			return false, err
		}
		if err := errors.Join(k.load(ctx, in, cut), in.Close(ctx)); err != nil {
			return false, err
		}
	}
	return k.state == nodeKept, nil
}

func (k *keptNode) load(ctx *sql.Context, in sql.RowIter, cut int) error {
	bytes := int64(0)
	var rows hostRows
	for {
		row, err := in.Next(ctx)
		if errors.Is(err, io.EOF) {
			k.rows, k.state = rows, nodeKept
			return nil
		}
		if err != nil {
			k.mem.Close()
			return err
		}
		row = append(sql.Row(nil), row[cut:]...)
		bytes += keptBytes + bridge.RowBytes(row)
		if limit := k.budget.Limit(); limit > 0 && max(bytes, k.budget.Used()) > limit/2 || k.mem.To(bytes) != nil {
			k.Close()
			return nil
		}
		rows = append(rows, row)
	}
}

// hostRows are rows of the host.
type hostRows []sql.Row

func (r hostRows) count() int { return len(r) }

func (r hostRows) fill(dst sql.Row, i int, _ []int) { copy(dst, r[i]) }

// sameRows finds out whether a part of a plan gives the same rows in every run of a
// statement: it names no columns of the enclosing query, whose row has p columns,
// nothing in it is volatile, and its rows come from lake tables alone. first is one of them.
func sameRows(n sql.Node, p int) (first *hostplan.ResolvedTable, ok bool) {
	s := sameness{outer: p}
	s.node(n)
	return s.first, !s.varies && s.first != nil
}

type sameness struct {
	outer  int
	first  *hostplan.ResolvedTable
	varies bool
}

func (s *sameness) node(n sql.Node) {
	switch x := n.(type) {
	case *hostplan.ResolvedTable:
		s.table(x)
		return
	case *hostplan.SubqueryAlias:
		s.varies = s.varies || !x.CanCacheResults()
		s.inside(x.Child)
		return
	case *hostplan.JoinNode:
		s.varies = s.varies || x.Op.IsLateral()
	case *hostplan.StripRowNode, *hostplan.PrependNode, *hostplan.TableAlias, *hostplan.Filter, *hostplan.HashLookup, *hostplan.CachedResults, *meter:
	default:
		s.varies = true
	}
	if s.varies {
		return
	}
	if x, ok := n.(sql.Expressioner); ok {
		for _, e := range x.Expressions() {
			_, outer := outerScope{base: s.outer}.sides(e)
			s.varies = s.varies || outer || volatile(e)
		}
	}
	for _, c := range n.Children() {
		s.node(c)
	}
}

// inside looks at the plan of a derived table that names nothing from outside.
func (s *sameness) inside(n sql.Node) {
	transform.Inspect(n, func(n sql.Node) bool {
		switch x := n.(type) {
		case *hostplan.ResolvedTable:
			s.table(x)
		case *hostplan.RecursiveTable, *hostplan.RecursiveCte, sql.TableFunction, *hostplan.JSONTable:
			s.varies = true
		}
		if x, ok := n.(sql.Expressioner); ok && !s.varies {
			for _, e := range x.Expressions() {
				s.varies = s.varies || volatile(e)
				sql.Inspect(e, func(e sql.Expression) bool {
					if q, ok := e.(*hostplan.Subquery); ok {
						s.inside(q.Query)
					}
					return !s.varies
				})
			}
		}
		return !s.varies
	})
}

func (s *sameness) table(n *hostplan.ResolvedTable) {
	if _, ok := tableOf(n); ok {
		if s.first == nil {
			s.first = n
		}
	} else if !hostplan.IsDualTable(n.Table) {
		s.varies = true
	}
}
