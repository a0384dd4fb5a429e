package dialect

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// valuesOfQuery lets ON DUPLICATE KEY UPDATE name the row that is inserted, VALUES(c),
// where the rows are those of a query. The host knows the row by a table's name that
// only rows of constants have: the query becomes a derived table of that name. What the
// update names of the query's own tables is found among the columns that it selects.
func (p *Parser) valuesOfQuery(ctx context.Context, ins *ast.Insert) {
	used := false
	for _, a := range ins.OnDup {
		walkTree(a.Expr, func(n any) bool {
			v, ok := n.(*ast.ValuesFuncExpr)
			if ok {
				used = true
				v.Name.Qualifier = ast.TableName{} // VALUES(t.c) is the new value too
			}
			return !ok
		})
	}
	rows, ok := ins.Rows.(ast.SelectStatement)
	if !used || !ok {
		return
	}
	columns := p.insertColumns(ctx, ins)
	if columns == nil {
		return // the host says what is wrong
	}
	if n, known := selected(rows); known && n != len(columns) {
		ins.OnDup = nil // of two faults the host then tells the first
		return
	}
	renameSelected(ins, rows, columns)
	as := ast.NewTableIdent(planbuilder.OnDupValuesPrefix)
	from := &ast.AliasedTableExpr{Expr: &ast.Subquery{Select: rows, Columns: columns}, As: as}
	ins.Rows = &ast.Select{SelectExprs: ast.SelectExprs{&ast.StarExpr{}}, From: ast.TableExprs{from}}
}

// insertColumns are those that the rows are for; nil when nobody knows.
func (p *Parser) insertColumns(ctx context.Context, ins *ast.Insert) ast.Columns {
	sqlCtx, ok := ctx.(*sql.Context)
	if len(ins.Columns) > 0 || !ok || p.columns == nil {
		return ins.Columns
	}
	var out ast.Columns
	for _, name := range p.columns(sqlCtx, ins.Table.DbQualifier.String(), ins.Table.Name.String()) {
		out = append(out, ast.NewColIdent(name))
	}
	return out
}

// selected counts the columns of a query without a star.
func selected(rows ast.SelectStatement) (n int, known bool) {
	s, ok := rows.(*ast.Select)
	if !ok {
		return 0, false
	}
	for _, e := range s.SelectExprs {
		if _, ok := e.(*ast.AliasedExpr); !ok {
			return 0, false
		}
	}
	return len(s.SelectExprs), true
}

// renameSelected gives columns of the query's tables, q.c, the names that they have as
// columns of the derived table.
func renameSelected(ins *ast.Insert, rows ast.SelectStatement, columns ast.Columns) {
	s, ok := rows.(*ast.Select)
	if n, known := selected(rows); !ok || !known || n != len(columns) {
		return
	}
	for _, a := range ins.OnDup {
		walkTree(a.Expr, func(n any) bool {
			c, ok := n.(*ast.ColName)
			if !ok || c.Qualifier.Name.IsEmpty() || strings.EqualFold(c.Qualifier.Name.String(), ins.Table.Name.String()) {
				return true
			}
			for i, e := range s.SelectExprs {
				if from, ok := e.(*ast.AliasedExpr).Expr.(*ast.ColName); ok && sameColumn(from, c) {
					c.Name, c.Qualifier = columns[i], ast.TableName{Name: ast.NewTableIdent(planbuilder.OnDupValuesPrefix)}
					break
				}
			}
			return true
		})
	}
}

// sameColumn reports whether a selected column is the one that is named with its table.
func sameColumn(from, named *ast.ColName) bool {
	return from.Name.Lowered() == named.Name.Lowered() &&
		(from.Qualifier.Name.IsEmpty() || strings.EqualFold(from.Qualifier.Name.String(), named.Qualifier.Name.String()))
}
