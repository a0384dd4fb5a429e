package dialect

import (
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// overFuncs are the functions that the host's planner takes for window functions.
// It drops the OVER of others.
var overFuncs = words(`FIRST LAST COUNT SUM ANY_VALUE AVG MAX MIN JSON_ARRAYAGG ROW_NUMBER PERCENT_RANK LEAD LAG
	FIRST_VALUE LAST_VALUE RANK DENSE_RANK NTILE STD STDDEV STDDEV_POP STDDEV_SAMP VARIANCE VAR_POP VAR_SAMP`)

// bitFuncs are window functions that the planner does not know as such. It knows
// windowByName, which takes the name of the function before its argument.
var bitFuncs = words(`BIT_AND BIT_OR BIT_XOR`)

const windowByName = "count_distinct"

// overFunc prepares a function with OVER.
func overFunc(f *ast.FuncExpr) error {
	name := strings.ToUpper(f.Name.String())
	switch {
	case f.Distinct:
		return unsupported(0, name+" with DISTINCT as a window function")
	case bitFuncs[name] && len(f.Exprs) == 1:
		f.Exprs = ast.SelectExprs{&ast.AliasedExpr{Expr: ast.NewStrVal([]byte(name))}, f.Exprs[0]}
		f.Name = ast.NewColIdent(windowByName)
	case !overFuncs[name]:
		return unsupported(0, name+" as a window function")
	}
	return nil
}

// plainWindows writes the named windows of a query into the functions that use
// them, and frames in a form that the host's planner tells apart: it gives a window
// named by OVER w the frame of one without order, and it takes two functions for
// one if their frames begin UNBOUNDED PRECEDING and only their ends differ.
func plainWindows(stmt ast.Statement) error {
	var failed error
	walkTree(stmt, func(n any) bool {
		sel, ok := n.(*ast.Select)
		if !ok || failed != nil {
			return failed == nil
		}
		named := map[string]*ast.WindowDef{}
		for _, w := range sel.Window {
			named[w.Name.Lowered()] = w
		}
		for range sel.Window { // each pass takes one more step of a chain of names
			for _, w := range sel.Window {
				inherit(w, named)
			}
		}
		valued := ""
		eachOver(sel, func(fn *ast.FuncExpr) {
			if err := overFunc(fn); err != nil && failed == nil {
				failed = err
			}
			o := (*ast.WindowDef)(fn.Over)
			inherit(o, named)
			plainFrame(o)
			if f := o.Frame; f != nil && f.Extent.Start.Type == ast.UnboundedPreceding && f.Extent.End != nil && f.Extent.End.Expr != nil {
				text := ast.String(f.Extent.End)
				if valued != "" && valued != text {
					failed = unsupported(0, "frames of one query with RANGE BETWEEN UNBOUNDED PRECEDING and different offsets")
				}
				valued = text
			}
		})
		for _, w := range sel.Window {
			plainFrame(w)
		}
		orderByResults(sel)
		return true
	})
	return failed
}

// orderByResults gives the position of a result to ORDER BY where it repeats a window
// function of the result columns: the host finds two columns of that name then.
func orderByResults(sel *ast.Select) {
	for _, o := range sel.OrderBy {
		if f, ok := o.Expr.(*ast.FuncExpr); !ok || f.Over == nil {
			continue
		}
		for i, e := range sel.SelectExprs {
			a, ok := e.(*ast.AliasedExpr)
			if !ok {
				break // a star is several columns
			}
			if sameExpr(a.Expr, o.Expr) {
				o.Expr = ast.NewIntVal([]byte(strconv.Itoa(i + 1)))
				break
			}
		}
	}
}

// eachOver visits a query's window functions, without those of subqueries.
func eachOver(sel *ast.Select, visit func(*ast.FuncExpr)) {
	walkTree(sel, func(n any) bool {
		switch n := n.(type) {
		case *ast.Select:
			return n == sel
		case *ast.FuncExpr:
			if n.Over != nil {
				visit(n)
			}
		}
		return true
	})
}

// inherit completes a window by the one it names. What MySQL does not allow to
// inherit is left to the planner, which says so.
func inherit(w *ast.WindowDef, named map[string]*ast.WindowDef) {
	base := named[w.NameRef.Lowered()]
	if w.NameRef.IsEmpty() || base == nil || base == w || !base.NameRef.IsEmpty() ||
		len(w.PartitionBy) > 0 || len(w.OrderBy) > 0 && len(base.OrderBy) > 0 {
		return
	}
	if base.Frame != nil {
		if w.Frame != nil || len(w.OrderBy) > 0 {
			return
		}
		f, ext := *base.Frame, *base.Frame.Extent
		f.Extent = &ext
		w.Frame = &f
	}
	w.PartitionBy = base.PartitionBy
	if len(w.OrderBy) == 0 {
		w.OrderBy = base.OrderBy
	}
	w.NameRef = ast.ColIdent{}
}

// plainFrame replaces frames that begin UNBOUNDED PRECEDING by equal ones.
func plainFrame(w *ast.WindowDef) {
	f := w.Frame
	if f == nil || f.Extent == nil || f.Extent.Start == nil || f.Extent.Start.Type != ast.UnboundedPreceding {
		return
	}
	end := f.Extent.End
	toCurrent := end == nil || end.Type == ast.CurrentRow
	switch {
	case end != nil && end.Type == ast.UnboundedFollowing:
		w.Frame = &ast.Frame{Unit: ast.RowsUnit, Extent: f.Extent}
	case f.Unit == ast.RangeUnit && toCurrent:
		w.Frame = nil // the default
	case f.Unit == ast.RowsUnit:
		all := &ast.FrameBound{Type: ast.ExprPreceding, Expr: ast.NewIntVal([]byte("1000000000000"))}
		if end == nil {
			end = &ast.FrameBound{Type: ast.CurrentRow}
		}
		w.Frame = &ast.Frame{Unit: ast.RowsUnit, Extent: &ast.FrameExtent{Start: all, End: end}}
	}
}
