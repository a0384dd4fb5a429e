package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// repairRule is the number of our rule; the host's own numbers are small.
const repairRule analyzer.RuleId = 10_001

// AddRules puts the rules that this package needs into the host's analyzer. The
// host plans simple UPDATE, DELETE and INSERT by a process-wide list of rules,
// which it sets too.
func AddRules(b *analyzer.Builder) *analyzer.Builder {
	analyzer.AlwaysBeforeDefault = []analyzer.Rule{{Id: repairRule, Apply: repair}}
	for _, r := range analyzer.OnceAfterDefault {
		switch r.Id.String() {
		case "modifyUpdateExprsForJoin", "applyForeignKeys":
			// The first refuses tables without a key; both want one editor of the
			// joined tables, which Builder.updateJoin does without.
			b = b.RemoveOnceAfterRule(r.Id)
		}
	}
	for _, r := range analyzer.DefaultValidationRules {
		if r.Id.String() == "validateGroupBy" { // checkFullGroup knows more
			b = b.RemoveValidationRule(r.Id)
		}
	}
	return b.AddPreAnalyzeRule(repairRule, repair).AddPostAnalyzeRule(topRule, topUnderProject).AddPostAnalyzeRule(onceRule, onceOnly)
}

// repair replaces the host's arithmetic and its SUM and AVG by ours, before any
// rule folds constants, and gives every reference to a column the type that the
// column has then. References still name columns by number.
func repair(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *hostplan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if err := checkTarget(ctx, n); err != nil {
		return n, transform.SameTree, err
	}
	r := repairer{ctx: ctx, types: map[sql.ColumnId]retyped{}, lists: map[*hostplan.GroupBy]bool{}}
	out, same, err := r.node(n)
	if err != nil || same {
		return n, transform.SameTree, err
	}
	return out, transform.NewTree, nil
}

// retyped is a column whose type changed.
type retyped struct{ from, to sql.Type }

type repairer struct {
	ctx    *sql.Context
	types  map[sql.ColumnId]retyped
	writes bool                       // within a statement that writes rows, without IGNORE
	lists  map[*hostplan.GroupBy]bool // those whose select list was checked
}

func (r *repairer) changed(id sql.ColumnId, from, to sql.Type) {
	if id != 0 && from != nil && to != nil && !from.Equals(to) {
		r.types[id] = retyped{from, to}
	}
}

// node repairs a plan from its leaves up, opaque nodes and sources of inserts included.
func (r *repairer) node(n sql.Node) (out sql.Node, same bool, err error) {
	switch x := n.(type) {
	case *hostplan.InsertInto:
		r.writes = !x.Ignore
		return r.insert(x)
	case *hostplan.Update:
		r.writes = !x.Ignore
	case *hostplan.DeleteFrom:
		r.writes = true
	case *hostplan.Project:
		if g := groupBelow(x.Child); g != nil && !r.lists[g] {
			r.lists[g] = true
			if err := checkFullGroup(r.ctx, x, g); err != nil {
				return nil, false, err
			}
		}
	case *hostplan.GroupBy:
		if err := checkKeys(x); err != nil {
			return nil, false, err
		}
	case *hostplan.Distinct:
		if err := checkDistinctOrder(r.ctx, x); err != nil {
			return nil, false, err
		}
	case *hostplan.Sort:
		if d, ok := sortBelowDistinct(x); ok {
			out, _, err := r.node(d)
			return out, false, err
		}
	case *hostplan.SubqueryAlias:
		if err := checkNames(x); err != nil {
			return nil, false, err
		}
	case *hostplan.CreateProcedure, *hostplan.CreateTrigger, *hostplan.CreateView, *hostplan.RecursiveTable:
		return n, true, nil
	}
	switch n.(type) {
	case *hostplan.Project, *hostplan.Having, *hostplan.Sort:
		kept, changed, err := keepOuterColumns(n)
		if err != nil {
			return nil, false, err
		}
		if changed {
			if g := groupBelow(kept); g != nil {
				r.lists[g] = true
			}
			out, _, err := r.node(kept)
			return out, false, err
		}
	}
	out, same = n, true
	children, csame, err := r.nodes(n.Children())
	if err != nil {
		return nil, false, err
	}
	if !csame {
		if out, err = n.WithChildren(children...); err != nil {
			return nil, false, err
		}
		same = false
	}
	if e, ok := out.(sql.Expressioner); ok {
		exprs, esame, err := r.exprs(e.Expressions())
		if err != nil {
			return nil, false, err
		}
		if !esame {
			if out, err = e.WithExpressions(exprs...); err != nil {
				return nil, false, err
			}
			same = false
		}
	}
	if set, ok := out.(*hostplan.SetOp); ok {
		u, usame, err := unify(set)
		return u, same && usame, err
	}
	if same {
		return n, true, nil
	}
	out, err = r.record(n, out)
	return out, false, err
}

func (r *repairer) nodes(list []sql.Node) ([]sql.Node, bool, error) {
	out, same := make([]sql.Node, len(list)), true
	for i, c := range list {
		d, s, err := r.node(c)
		if err != nil {
			return nil, false, err
		}
		out[i], same = d, same && s
	}
	return out, same, nil
}

func (r *repairer) insert(n *hostplan.InsertInto) (sql.Node, bool, error) {
	same := true
	out := *n
	if n.Source != nil {
		src, s, err := r.node(n.Source)
		if err != nil {
			return nil, false, err
		}
		out.Source, same = src, same && s
	}
	exprs, s, err := r.exprs(n.OnDupExprs)
	if err != nil {
		return nil, false, err
	}
	if !s {
		out.OnDupExprs, same = exprs, false
	}
	return &out, same, nil
}

// record notes which columns of a node have another type than before.
func (r *repairer) record(old, now sql.Node) (sql.Node, error) {
	switch x := now.(type) {
	case *hostplan.GroupBy:
		r.recordExprs(old.(*hostplan.GroupBy).SelectedExprs, x.SelectedExprs)
	case *hostplan.Window:
		r.recordExprs(old.(*hostplan.Window).SelectExprs, x.SelectExprs)
	case *hostplan.Project:
		r.recordExprs(old.(*hostplan.Project).Projections, x.Projections)
	case *hostplan.SubqueryAlias:
		return r.alias(x)
	}
	return now, nil
}

func (r *repairer) recordExprs(old, now []sql.Expression) {
	for i, e := range now {
		if id, ok := e.(sql.IdExpression); ok {
			from := old[i].Type()
			if t, ok := e.(*total); ok && t.Window() == nil {
				from = nil // references to SUM and AVG are DOUBLE, whatever they say themselves
				r.types[id.Id()] = retyped{nil, t.Type()}
			}
			r.changed(id.Id(), from, e.Type())
		}
	}
}

// alias maps the columns of a derived table, which are numbered in their order.
func (r *repairer) alias(n *hostplan.SubqueryAlias) (sql.Node, error) {
	after := n.Schema()
	i := 0
	n.Columns().ForEach(func(id sql.ColumnId) {
		if i < len(after) {
			r.types[id] = retyped{nil, after[i].Type}
		}
		i++
	})
	if n.ScopeMapping == nil {
		return n, nil
	}
	mapping := make(map[sql.ColumnId]sql.Expression, len(n.ScopeMapping))
	for id, e := range n.ScopeMapping {
		out, _, err := r.expr(e)
		if err != nil {
			return nil, err
		}
		mapping[id] = out
	}
	return n.WithScopeMapping(mapping), nil
}

func (r *repairer) exprs(list []sql.Expression) ([]sql.Expression, bool, error) {
	out, same := make([]sql.Expression, len(list)), true
	for i, e := range list {
		d, s, err := r.expr(e)
		if err != nil {
			return nil, false, err
		}
		out[i], same = d, same && s
	}
	return out, same, nil
}

// expr repairs an expression from its leaves up.
func (r *repairer) expr(e sql.Expression) (out sql.Expression, same bool, err error) {
	if e == nil {
		return nil, true, nil
	}
	out, same = e, true
	if children := e.Children(); len(children) > 0 {
		list, s, err := r.exprs(children)
		if err != nil {
			return nil, false, err
		}
		if !s {
			if out, err = e.WithChildren(list...); err != nil {
				return nil, false, err
			}
			out, same = sameID(e, out), false
		}
	}
	if x, ok := out.(sql.ExpressionWithNodes); ok {
		nodes, s, err := r.nodes(x.NodeChildren())
		if err != nil {
			return nil, false, err
		}
		if !s {
			if out, err = x.WithNodeChildren(nodes...); err != nil {
				return nil, false, err
			}
			same = false
		}
	}
	switch x := out.(type) {
	case *expression.GetField:
		if t, ok := r.types[x.Id()]; ok && (t.from == nil || x.Type().Equals(t.from)) && !x.Type().Equals(t.to) {
			return retypeField(x, t.to), false, nil
		}
		return out, same, nil
	}
	if hidden, ok := funcs.Exact(out); ok {
		return hidden, false, nil
	}
	if v, ok := out.(*expression.UserVar); ok && gmstypes.IsInteger(v.Type()) {
		// Whole variables are BIGINT: the statement may set them to other numbers.
		return expression.NewUserVarWithType(v.Name, v.Type().Promote()), false, nil
	}
	if x, changed, err := temporal(out); err != nil {
		return nil, false, err
	} else if changed {
		out, same = x, false
	}
	if x, changed, err := existence(r.ctx, out); changed || err != nil {
		return x, false, err
	}
	if l, ok := repairLike(out); ok {
		return l, false, nil
	}
	if b, ok := funcs.BitOp(out); ok {
		return b, false, nil
	}
	if s, ok := newShift(out); ok {
		return s, false, nil
	}
	if a, ok := newArith(out); ok {
		a.writes = r.writes
		return a, false, nil
	}
	if t, ok := newTotal(out); ok {
		return t, false, nil
	}
	if s, ok := newSpread(out); ok {
		return s, false, nil
	}
	if t, ok := out.(*function.Trim); ok {
		return funcs.Trim(t), false, nil
	}
	if g, ok := out.(*aggregation.GroupConcat); ok {
		joined, ok, err := joinConcat(g)
		return joined, same && !ok, err
	}
	return out, same, nil
}

func retypeField(f *expression.GetField, t sql.Type) sql.Expression {
	g := expression.NewGetFieldWithTable(int(f.Id()), int(f.TableId()), t, f.Database(), f.Table(), f.Name(), f.IsNullable())
	return g.WithIndex(f.Index())
}

// joinConcat makes one argument of the several of a GROUP_CONCAT, of which the
// host takes only the first.
func joinConcat(g *aggregation.GroupConcat) (sql.Expression, bool, error) {
	children := g.Children()
	text := g.String()
	for order := range len(children) - 1 { // how many of them are the order
		args := make([]string, 0, len(children))
		for _, e := range children[order:] {
			args = append(args, e.String())
		}
		next := " separator "
		if order > 0 {
			next = " order by "
		}
		list := strings.Join(args, ", ") + next
		if !strings.HasPrefix(text, "group_concat("+list) && !strings.Contains(text, "distinct "+list) {
			continue
		}
		one, err := function.NewConcat(children[order:]...)
		if err != nil {
			return nil, false, err
		}
		out, err := g.WithChildren(append(append([]sql.Expression(nil), children[:order]...), one)...)
		if err != nil {
			return nil, false, err
		}
		return out.(*aggregation.GroupConcat).WithId(g.Id()), true, nil
	}
	return g, false, nil
}
