package plan

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
)

// determined tells which columns and expressions have one value in all rows of a node
// that agree on the keys of a group: functional dependence, as MySQL finds it.
type determined struct {
	own   map[sql.ColumnId]bool // columns of the node; others are an outer query's
	known map[sql.ColumnId]bool // own columns that have one value
	texts map[string]bool       // expressions that have one value
}

func newDetermined(n sql.Node) *determined {
	d := &determined{own: map[sql.ColumnId]bool{}, known: map[sql.ColumnId]bool{}, texts: map[string]bool{}}
	d.collect(n)
	return d
}

// collect gathers the columns of a node.
func (d *determined) collect(n sql.Node) {
	switch x := n.(type) {
	case hostplan.TableIdNode:
		x.Columns().ForEach(func(id sql.ColumnId) { d.own[id] = true })
		return
	case *hostplan.Project:
		d.collectExprs(x.Projections)
	case *hostplan.GroupBy:
		d.collectExprs(x.SelectedExprs)
	case *hostplan.Window:
		d.collectExprs(x.SelectExprs)
	}
	for _, c := range n.Children() {
		d.collect(c)
	}
}

func (d *determined) collectExprs(list []sql.Expression) {
	for _, e := range list {
		if x, ok := e.(sql.IdExpression); ok && x.Id() != 0 {
			d.own[x.Id()] = true
		}
	}
}

// know notes that an expression has one value; it reports whether that is news.
func (d *determined) know(e sql.Expression) bool {
	switch x := e.(type) {
	case *expression.Alias:
		news := d.know(x.Child)
		return d.knowColumn(x.Id()) || news
	case *expression.GetField:
		return d.knowColumn(x.Id())
	}
	text := textOfExpr(e)
	news := !d.texts[text]
	d.texts[text] = true
	return news
}

func (d *determined) knowColumn(id sql.ColumnId) bool {
	if !d.own[id] || d.known[id] {
		return false
	}
	d.known[id] = true
	return true
}

// parameter is how the host prints a parameter that has no value yet.
var parameter = regexp.MustCompile(`BindVar\([^)]*\)`)

// textOfExpr is equal for equal expressions. Parameters without a value count as equal.
func textOfExpr(e sql.Expression) string {
	return strings.ToLower(parameter.ReplaceAllString(e.String(), "?"))
}

// open is the first column in an expression that has not one value, or nil. names are
// what result columns stand for.
func (d *determined) open(e sql.Expression, names map[sql.ColumnId]sql.Expression) *expression.GetField {
	switch x := e.(type) {
	case nil:
		return nil
	case *expression.Alias:
		return d.open(x.Child, names)
	case *expression.GetField:
		if d.known[x.Id()] {
			return nil
		}
		if d.own[x.Id()] {
			return x
		}
		if to, ok := names[x.Id()]; ok {
			return d.open(to, nil)
		}
		return nil
	case sql.Aggregation:
		return nil
	}
	if len(d.texts) > 0 && d.texts[textOfExpr(e)] {
		return nil
	}
	for _, c := range e.Children() {
		if f := d.open(c, names); f != nil {
			return f
		}
	}
	if x, ok := e.(sql.ExpressionWithNodes); ok {
		for _, n := range x.NodeChildren() {
			if f := d.openIn(n, names); f != nil {
				return f
			}
		}
	}
	return nil
}

// openIn is open for the expressions of a subquery, whose own columns are not d's.
func (d *determined) openIn(n sql.Node, names map[sql.ColumnId]sql.Expression) *expression.GetField {
	if x, ok := n.(sql.Expressioner); ok {
		for _, e := range x.Expressions() {
			if f := d.open(e, names); f != nil {
				return f
			}
		}
	}
	for _, c := range n.Children() {
		if f := d.openIn(c, names); f != nil {
			return f
		}
	}
	return nil
}

// close adds what follows from the known columns by the keys and conditions of a node.
func (d *determined) close(n sql.Node) {
	for d.spread(n) {
	}
}

// spread is one step of close; it reports whether it found something.
func (d *determined) spread(n sql.Node) bool {
	news := false
	switch x := n.(type) {
	case *hostplan.SetOp, *hostplan.RecursiveCte, *hostplan.RecursiveTable:
		return false
	case *hostplan.SubqueryAlias:
		return d.derived(x)
	case hostplan.TableIdNode:
		news = d.byKey(x)
		if a, ok := n.(*hostplan.TableAlias); ok {
			return d.spread(a.Child) || news
		}
		return news
	case *hostplan.Filter:
		news = d.equalities(x.Expression, nil)
	case *hostplan.JoinNode:
		news = d.join(x)
	case *hostplan.Project:
		news = d.listed(x.Projections)
	case *hostplan.GroupBy:
		one := true
		for _, k := range x.GroupByExprs {
			one = one && d.open(k, nil) == nil
		}
		for _, e := range x.SelectedExprs {
			if i, ok := e.(sql.IdExpression); ok && one && d.knowColumn(i.Id()) {
				news = true
			}
		}
	}
	for _, c := range n.Children() {
		if d.spread(c) {
			news = true
		}
	}
	return news
}

// listed compares result columns with what they stand for.
func (d *determined) listed(list []sql.Expression) bool {
	news := false
	for _, e := range list {
		a, ok := e.(*expression.Alias)
		if !ok || a.Id() == 0 {
			continue
		}
		if d.known[a.Id()] {
			news = d.know(a.Child) || news
		} else if d.open(a.Child, nil) == nil {
			news = d.knowColumn(a.Id()) || news
		}
	}
	return news
}

// byKey knows the columns of a table whose primary key is known.
func (d *determined) byKey(n hostplan.TableIdNode) bool {
	columns := n.Schema()
	if n.Columns().Len() != len(columns) {
		return false
	}
	keys, missing, i := 0, 0, 0
	n.Columns().ForEach(func(id sql.ColumnId) {
		if columns[i].PrimaryKey {
			keys++
			if !d.known[id] {
				missing++
			}
		}
		i++
	})
	news := false
	if keys > 0 && missing == 0 {
		n.Columns().ForEach(func(id sql.ColumnId) { news = d.knowColumn(id) || news })
	}
	return news
}

// derived follows the columns of a derived table or view into its query.
func (d *determined) derived(n *hostplan.SubqueryAlias) bool {
	list := resultOf(n.Child)
	if list == nil || n.Columns().Len() != len(list.Projections) {
		return false
	}
	in := newDetermined(n.Child)
	i := 0
	n.Columns().ForEach(func(id sql.ColumnId) {
		if d.known[id] {
			in.know(list.Projections[i])
		}
		i++
	})
	in.close(n.Child)
	news := false
	i = 0
	n.Columns().ForEach(func(id sql.ColumnId) {
		if in.open(list.Projections[i], nil) == nil {
			news = d.knowColumn(id) || news
		}
		i++
	})
	return news
}

// resultOf is the select list of a query.
func resultOf(n sql.Node) *hostplan.Project {
	for {
		switch x := n.(type) {
		case *hostplan.Project:
			return x
		case *hostplan.Distinct:
			n = x.Child
		case *hostplan.Limit:
			n = x.Child
		case *hostplan.Offset:
			n = x.Child
		case *hostplan.Sort:
			n = x.Child
		default:
			return nil
		}
	}
}

// join follows the condition of a join. That of an outer join gives columns of the
// optional side one value when those of the other side that it names have one.
func (d *determined) join(n *hostplan.JoinNode) bool {
	optional := n.Right()
	switch {
	case n.Filter == nil || n.Op.IsFullOuter():
		return false
	case n.Op.IsRightOuter():
		optional = n.Left()
	case !n.Op.IsLeftOuter():
		return d.equalities(n.Filter, nil)
	}
	side := newDetermined(optional).own
	one := true
	sql.Inspect(n.Filter, func(e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && d.own[f.Id()] && !side[f.Id()] && !d.known[f.Id()] {
			one = false
		}
		return one
	})
	return one && d.equalities(n.Filter, side)
}

// equalities follows the parts of a condition that want a column to be equal to what
// has one value; side, when given, are the columns that this holds for.
func (d *determined) equalities(cond sql.Expression, side map[sql.ColumnId]bool) bool {
	news := false
	follow := func(to, from sql.Expression) {
		f, ok := to.(*expression.GetField)
		if ok && (side == nil || side[f.Id()]) && (from == nil || d.open(from, nil) == nil) {
			news = d.knowColumn(f.Id()) || news
		}
	}
	for _, e := range expression.SplitConjunction(cond) {
		switch x := e.(type) {
		case *expression.Equals:
			follow(x.Left(), x.Right())
			follow(x.Right(), x.Left())
		case *expression.NullSafeEquals:
			follow(x.Left(), x.Right())
			follow(x.Right(), x.Left())
		case *expression.IsNull:
			follow(x.Child, nil)
		case *expression.InTuple:
			if list, ok := x.Right().(expression.Tuple); ok && len(list) == 1 {
				follow(x.Left(), list[0])
			}
		}
	}
	return news
}
