package dialect

import (
	"slices"
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// rollups prepares the queries of a statement that have WITH ROLLUP, which stands as
// a last key RollupFunc in their GROUP BY.
func rollups(stmt ast.Statement) error {
	var failed error
	walkTree(stmt, func(n any) bool {
		if sel, ok := n.(*ast.Select); ok && failed == nil {
			if last := len(sel.GroupBy) - 1; last > 0 && isCall(sel.GroupBy[last], RollupFunc) {
				failed = rollup(sel, sel.GroupBy[:last])
			}
		}
		return failed == nil
	})
	return failed
}

func isCall(e ast.Expr, name string) bool {
	f, ok := e.(*ast.FuncExpr)
	return ok && f.Name.EqualString(name)
}

// rollup puts ANY_VALUE(RollupKeyFunc(number, key)) wherever a query uses a key
// outside of aggregates, and ANY_VALUE(GroupingFunc(numbers)) for GROUPING: what they
// give in rows of totals is known where groups are made.
func rollup(sel *ast.Select, keys []ast.Expr) error {
	resolveKeys(sel, keys)
	r := &rolling{keys: keys}
	for _, e := range sel.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok {
			continue
		}
		typed := a.Expr
		a.Expr = r.expr(a.Expr)
		if c, ok := typed.(*ast.ColName); ok && a.As.IsEmpty() && a.Expr != typed {
			a.As = c.Name
		}
	}
	if sel.Having != nil {
		sel.Having.Expr = r.expr(sel.Having.Expr)
	}
	for _, o := range sel.OrderBy {
		o.Expr = r.expr(o.Expr)
	}
	return r.err
}

// resolveKeys replaces keys that are positions or names of result columns by what
// those are.
func resolveKeys(sel *ast.Select, keys []ast.Expr) {
	for i, k := range keys {
		switch k := k.(type) {
		case *ast.SQLVal:
			n, err := strconv.Atoi(string(k.Val))
			if k.Type != ast.IntVal || err != nil || n < 1 || n > len(sel.SelectExprs) {
				continue
			}
			if a, ok := sel.SelectExprs[n-1].(*ast.AliasedExpr); ok {
				keys[i] = a.Expr
			}
		case *ast.ColName:
			if !k.Qualifier.IsEmpty() {
				continue
			}
			for _, e := range sel.SelectExprs {
				if a, ok := e.(*ast.AliasedExpr); ok && a.As.Equal(k.Name) && !usesColumn(a.Expr, k) && noneOf(a.Expr, groupUse()) == nil {
					keys[i] = a.Expr
				}
			}
		}
	}
}

// usesColumn reports whether e has a column of c's name, which GROUP BY means then.
func usesColumn(e ast.Expr, c *ast.ColName) bool {
	found := false
	walkTree(e, func(n any) bool {
		if d, ok := n.(*ast.ColName); ok && d.Name.Equal(c.Name) {
			found = true
		}
		return !found
	})
	return found
}

// rolling rewrites the expressions of one query.
type rolling struct {
	keys []ast.Expr
	err  error
}

// expr returns e with its keys replaced.
func (r *rolling) expr(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case nil:
		return e
	case *ast.Subquery, *ast.SQLVal, *ast.GroupConcatExpr, *ast.NullVal:
		return e
	case *ast.FuncExpr:
		if x.Name.EqualString("grouping") {
			return r.grouping(x)
		}
		if x.IsAggregate() && x.Over == nil {
			return e
		}
	}
	if n := r.number(e); n >= 0 {
		return ofGroup(RollupKeyFunc, ast.NewIntVal([]byte(strconv.Itoa(n))), e)
	}
	mapExprs(e, r.expr)
	return e
}

// number is the number of the key that e is, or -1.
func (r *rolling) number(e ast.Expr) int {
	return slices.IndexFunc(r.keys, func(k ast.Expr) bool { return sameExpr(k, e) })
}

func sameExpr(a, b ast.Expr) bool {
	c, ok := a.(*ast.ColName)
	d, ok2 := b.(*ast.ColName)
	if ok != ok2 {
		return false
	}
	if ok {
		return c.Name.Equal(d.Name) && (c.Qualifier.IsEmpty() || d.Qualifier.IsEmpty() || c.Qualifier == d.Qualifier)
	}
	return strings.EqualFold(ast.String(a), ast.String(b))
}

// grouping is GROUPING(keys).
func (r *rolling) grouping(f *ast.FuncExpr) ast.Expr {
	var numbers []ast.Expr
	for _, e := range f.Exprs {
		a, ok := e.(*ast.AliasedExpr)
		n := -1
		if ok {
			n = r.number(a.Expr)
		}
		if n < 0 {
			r.err = &Error{Code: codeNotGrouped, State: "HY000",
				Message: "Argument #" + strconv.Itoa(len(numbers)+1) + " of GROUPING function is not in GROUP BY"}
			return f
		}
		numbers = append(numbers, ast.NewIntVal([]byte(strconv.Itoa(n))))
	}
	return ofGroup(GroupingFunc, numbers...)
}

// ofGroup is ANY_VALUE(name(args)).
func ofGroup(name string, args ...ast.Expr) ast.Expr {
	return call("any_value", call(name, args...))
}

func call(name string, args ...ast.Expr) *ast.FuncExpr {
	f := &ast.FuncExpr{Name: ast.NewColIdent(name)}
	for _, a := range args {
		f.Exprs = append(f.Exprs, &ast.AliasedExpr{Expr: a})
	}
	return f
}
