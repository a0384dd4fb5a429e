package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// originIter is the iterator of a statement that knows which table columns its
// columns are, for the client: the host's schema forgets them at each alias.
type originIter struct {
	sql.RowIter
	columns []bridge.Origin
}

// GetIter gives the iterator below to whoever looks for one of another kind.
func (it *originIter) GetIter() sql.RowIter { return it.RowIter }

// Origins implements bridge.OriginIter.
func (it *originIter) Origins() []bridge.Origin { return it.columns }

// withOrigins notes the origins of the columns of a query's result.
func withOrigins(n sql.Node, iter sql.RowIter) sql.RowIter {
	columns := Origins(n)
	if iter == nil || columns == nil {
		return iter
	}
	return &originIter{iter, columns}
}

// Origins are the table columns that a query's result columns are; nil for other
// statements.
func Origins(n sql.Node) []bridge.Origin {
	switch n.(type) {
	case *hostplan.Project, *hostplan.GroupBy, *hostplan.Window, *hostplan.Sort, *hostplan.TopN, *hostplan.Limit, *hostplan.Offset,
		*hostplan.Filter, *hostplan.Distinct, *hostplan.OrderedDistinct, *hostplan.Having, *hostplan.SetOp, *hostplan.Max1Row,
		*hostplan.JoinNode, *hostplan.TableAlias, *hostplan.ResolvedTable, *hostplan.IndexedTableAccess, *hostplan.TableCountLookup:
	default:
		return nil
	}
	columns := make([]bridge.Origin, len(n.Schema()))
	for i := range columns {
		columns[i] = originOf(n, i)
	}
	return columns
}

// originOf is the table column that column i of a node is; empty for computed ones.
func originOf(n sql.Node, i int) bridge.Origin {
	switch n := n.(type) {
	case *hostplan.Project:
		return originOfExpr(n.Projections, i, n.Child)
	case *hostplan.GroupBy:
		return originOfExpr(n.SelectedExprs, i, n.Child)
	case *hostplan.Window:
		return originOfExpr(n.SelectExprs, i, n.Child)
	case *hostplan.Sort, *hostplan.TopN, *hostplan.Limit, *hostplan.Offset, *hostplan.Filter, *hostplan.Distinct,
		*hostplan.OrderedDistinct, *hostplan.Having, *hostplan.Max1Row:
		if c := n.Children(); len(c) == 1 && len(c[0].Schema()) == len(n.Schema()) {
			return originOf(c[0], i)
		}
	case *hostplan.JoinNode, *hostplan.TableAlias, *hostplan.ResolvedTable, *hostplan.IndexedTableAccess:
		if s := n.Schema(); i < len(s) {
			return lookUp(n, s[i].Source, s[i].Name)
		}
	}
	return bridge.Origin{}
}

func originOfExpr(list []sql.Expression, i int, child sql.Node) bridge.Origin {
	if i >= len(list) {
		return bridge.Origin{}
	}
	e := list[i]
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	f, ok := e.(*expression.GetField)
	if !ok {
		return bridge.Origin{}
	}
	return lookUp(child, f.Table(), f.Name())
}

// lookUp finds the column of a table by its name or alias in the tables below a node.
func lookUp(n sql.Node, table, column string) bridge.Origin {
	switch n := n.(type) {
	case *hostplan.TableAlias:
		if !strings.EqualFold(n.Name(), table) {
			return bridge.Origin{}
		}
		if t, ok := n.Child.(interface {
			sql.Node
			sql.Nameable
		}); ok {
			o := lookUp(t, t.Name(), column)
			o.Table = n.Name()
			return o
		}
		return bridge.Origin{}
	case *hostplan.SubqueryAlias:
		if !strings.EqualFold(n.Name(), table) {
			return bridge.Origin{}
		}
		for i, c := range n.Schema() {
			if strings.EqualFold(c.Name, column) {
				o := originOf(n.Child, i)
				o.Table = n.Name()
				return o
			}
		}
		return bridge.Origin{}
	case sql.TableNode:
		return tableColumn(n, table, column)
	}
	for _, c := range n.Children() {
		if o := lookUp(c, table, column); o.Table != "" {
			return o
		}
	}
	return bridge.Origin{}
}

func tableColumn(n sql.TableNode, table, column string) bridge.Origin {
	if !strings.EqualFold(n.Name(), table) {
		return bridge.Origin{}
	}
	t := n.UnderlyingTable()
	s := n.Schema()
	if p, ok := t.(sql.PrimaryKeyTable); ok {
		s = p.PrimaryKeySchema().Schema // projected tables lose the others
	}
	for _, c := range s {
		if strings.EqualFold(c.Name, column) {
			o := bridge.Origin{Database: n.Database().Name(), Table: n.Name(), OrgTable: t.Name(), OrgName: c.Name, Key: c.PrimaryKey}
			if lake, ok := t.(*bridge.Table); ok {
				if f, ok := lake.Meta().Field(c.Name); ok {
					o.Type = f.Type
				}
			}
			return o
		}
	}
	return bridge.Origin{}
}
