package sqlengine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A condition that runs on columns chooses the rows that the host's evaluation does,
// row by row, which IS TRUE leaves it to.
func TestConditions(t *testing.T) {
	db, _ := openBoth(t)
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20), i INT, d DOUBLE, dt DATE)")
	texts := []string{"NULL", "''", "'a'", "'A'", "'ab'", "'abc'", "'a%c'", "'a_c'", `'a\\c'`, `'a\\'`, "'%'", "'日本'", "'日'", "'a日c'", "'|_'", "'_'", "'abab'", "'b '"}
	var rows []string
	for n, s := range texts {
		for k, i := range []string{"NULL", "-1", "2", "7"} {
			rows = append(rows, fmt.Sprintf("(%d, %s, %s, %s, %s)", n*4+k, s, i,
				[]string{"NULL", "0.5", "-2", "7"}[n%4], []string{"NULL", "'2026-01-02'", "'2025-12-31'"}[n%3]))
		}
	}
	exec(t, db, "INSERT INTO t VALUES "+strings.Join(rows, ","))
	conditions := []string{
		"i NOT IN (2, 7)", "i NOT IN (2, NULL)", "i NOT IN (NULL)", "s NOT IN ('a', 'ab')", "dt NOT IN ('2026-01-02')",
		"i NOT BETWEEN 0 AND 3", "i NOT BETWEEN NULL AND 3", "NOT (i < 2)", "NOT (d >= 0.5)", "NOT (s > 'ab')", "NOT (i = 2 AND s = 'a')",
		"NOT (i = 2 OR s IS NULL)", "NOT (i = NULL)", "NOT (i = NULL AND s = 'a')", "NOT (i = NULL OR s = 'a')", "NOT (i IS NULL)", "NOT (d IS NULL)",
		"NOT (NOT (i = 2))", "NOT (s IN ('a', NULL) OR i = 2)", "NOT (s LIKE 'a%')", "s NOT LIKE '%c'", "NOT (s LIKE 'a%' OR i > 2)",
		"s LIKE NULL", "s LIKE ''", "i LIKE '2%'", "dt LIKE '2026%'",
	}
	for _, pattern := range []string{"a", "a%", "%c", "%b%", "a_c", "a__", "_", "__", "%", "%%", "_%", "日_", "a日%", "a%c", "%a%b%", "b ", "b", "A%"} {
		conditions = append(conditions, "s LIKE '"+pattern+"'")
	}
	for _, p := range [][2]string{
		{`a\%c`, `\\`}, {`a\_c`, `\\`}, {`a\\\\c`, `\\`}, {`a\\\\`, `\\`}, {"a|%c", "|"}, {"||_", "|"}, {"|||_", "|"}, {"%|", "|"}, {`a\\c`, "|"}, {`a\\%`, "|"},
		{"a%%c", "%"}, {"a__c", "_"}, {"a日%c", "日"}, {"a|bc", "|"},
	} {
		conditions = append(conditions, fmt.Sprintf("s LIKE '%s' ESCAPE '%s'", p[0], p[1]))
	}
	for _, c := range conditions {
		got := query(t, db, "SELECT id FROM t WHERE "+c)
		want := query(t, db, "SELECT id FROM t WHERE ("+c+") IS TRUE")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("WHERE %s: %v, row by row %v", c, got, want)
		}
	}
}
