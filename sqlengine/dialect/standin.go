package dialect

import (
	"fmt"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Some statements of MySQL that the host does not know or answers in part are
// queries in other words, as they are in MySQL itself.

// otherWords returns the text that a statement stands for; ok is false for all but
// SHOW COUNT(*) WARNINGS, SHOW OPEN TABLES, SHOW STORAGE ENGINES, SHOW SCHEMAS and
// DESCRIBE t column.
func (g *grammar) otherWords() (text string, ok bool) {
	last := len(g.tokens) - 1
	switch {
	case g.is(0, "SHOW") && g.is(1, "COUNT") && g.op(2, "(") && g.op(3, "*") && g.op(4, ")") && last == 6:
		for word, variable := range map[string]string{"WARNINGS": "warning_count", "ERRORS": "error_count"} {
			if g.is(5, word) {
				return fmt.Sprintf("SELECT @@%s AS `@@session.%[1]s`", variable), true
			}
		}
	case g.is(0, "SHOW") && g.is(1, "OPEN") && g.is(2, "TABLES"):
		if last == 3 || g.is(3, "FROM") || g.is(3, "IN") || g.is(3, "LIKE") || g.is(3, "WHERE") {
			// No table is held open between statements.
			return nothingOf("'' AS `Database`, '' AS `Table`, 0 AS In_use, 0 AS Name_locked"), true
		}
	case g.begins(0, "SHOW STORAGE ENGINES") && last == 3:
		return "SHOW ENGINES", true
	case g.is(0, "SHOW") && g.is(1, "SCHEMAS"):
		return "SHOW DATABASES" + g.src[g.tokens[1].end:g.end], true
	case g.is(0, "DESCRIBE"), g.is(0, "DESC"), g.is(0, "EXPLAIN"):
		return g.describeColumn(last)
	}
	return "", false
}

// describeColumn reads DESCRIBE t column and DESCRIBE t 'pattern'.
func (g *grammar) describeColumn(last int) (string, bool) {
	if g.tokens[1].kind == tWord && notDescribed[strings.ToUpper(g.text(1))] || g.startsExplained(1) {
		return "", false
	}
	defer func(i int) { g.i = i }(g.i)
	g.i = 1
	if _, err := g.tableName(); err != nil || g.i != last-1 {
		return "", false
	}
	table := g.src[g.tokens[1].start:g.tokens[g.i-1].end]
	if g.isString(g.i) {
		return "SHOW COLUMNS FROM " + table + " LIKE " + g.text(g.i), true
	}
	name, ok := g.name(g.i)
	if !ok {
		return "", false
	}
	return "SHOW COLUMNS FROM " + table + " LIKE " + quoteText(name), true
}

// notDescribed are words behind DESCRIBE that are no table names.
var notDescribed = words(`EXTENDED FORMATTED ANALYZE PLAN FORMAT TABLE DATABASE SCHEMA CATALOG FUNCTION QUERY`)

func quoteText(s string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(s) + "'"
}

// inQueries puts queries in the place of SHOW DATABASES LIKE, whose column MySQL names
// after the pattern, of SHOW DATABASES WHERE, whose column the host does not find,
// and of SHOW INDEX … WHERE, whose condition it drops. A
// SET without a scope sets a variable of the session, which an unknown one is
// called then.
func inQueries(stmt ast.Statement) (ast.Statement, error) {
	if err := checkStatement(stmt); err != nil {
		return nil, err
	}
	if hasNames(stmt) {
		if err := windowsOverGroups(stmt); err != nil {
			return nil, err
		}
	}
	switch s := stmt.(type) {
	case *ast.Set:
		for _, e := range s.Exprs {
			if e.Scope == ast.SetScope_None && e.Name.Qualifier.IsEmpty() && !strings.HasPrefix(e.Name.Name.String(), "@") {
				e.Scope = ast.SetScope_Session
			}
			globalDefault(e)
		}
	case *ast.Show:
		switch kind := strings.ToLower(s.Type); {
		case kind == "index" && s.ShowIndexFilterOpt != nil:
			return showIndex(s)
		case (kind == "databases" || kind == "schemas") && s.Filter != nil:
			return showDatabases(s.Filter)
		}
	}
	return stmt, nil
}

func showDatabases(f *ast.ShowFilter) (ast.Statement, error) {
	if f.Like != "" {
		return ast.Parse("SELECT SCHEMA_NAME AS " + quoteName("Database ("+f.Like+")") +
			" FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE " + quoteText(f.Like) + ` ESCAPE '\\' ORDER BY SCHEMA_NAME`)
	}
	return filtered("SELECT SCHEMA_NAME AS `Database` FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME", f.Filter)
}

// filtered is a query of ours under a condition that was typed.
func filtered(query string, cond ast.Expr) (ast.Statement, error) {
	stmt, err := ast.Parse("SELECT * FROM (" + query + ") AS shown")
	if sel, ok := stmt.(*ast.Select); ok && cond != nil {
		sel.Where = ast.NewWhere(ast.WhereStr, cond)
	}
	return stmt, err
}

// showIndex reads the index from information_schema. The subquery looks for the
// table, so that one that is not there is an error.
func showIndex(s *ast.Show) (ast.Statement, error) {
	db := s.Database
	if db == "" {
		db = s.Table.DbQualifier.String()
	}
	schema, table := "DATABASE()", quoteName(s.Table.Name.String())
	if db != "" {
		schema, table = quoteText(db), quoteName(db)+"."+table
	}
	return filtered("SELECT TABLE_NAME AS `Table`, NON_UNIQUE AS Non_unique, INDEX_NAME AS Key_name,"+
		" SEQ_IN_INDEX AS Seq_in_index, COLUMN_NAME AS Column_name, COLLATION AS `Collation`, CARDINALITY AS Cardinality,"+
		" SUB_PART AS Sub_part, PACKED AS Packed, NULLABLE AS `Null`, INDEX_TYPE AS Index_type, COMMENT AS `Comment`,"+
		" INDEX_COMMENT AS Index_comment, IS_VISIBLE AS Visible, EXPRESSION AS Expression"+
		" FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = "+schema+" AND TABLE_NAME = "+quoteText(s.Table.Name.String())+
		" AND NOT EXISTS (SELECT 1 FROM "+table+" WHERE FALSE)", s.ShowIndexFilterOpt)
}
