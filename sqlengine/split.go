package sqlengine

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// Split cuts text into its statements, without their semicolons.
func Split(text string) []string { return dialect.Split(text, sqlparser.ParserOptions{}) }

// Complete reports whether text, as typed so far, ends a statement: with a
// semicolon that is not inside quotes, a comment or a stored program.
func Complete(text string) bool {
	t := strings.TrimRight(text, " \t\r\n")
	if t == "" || !strings.HasSuffix(t, ";") {
		return false
	}
	// The semicolon counts when another statement after it would be one of its own.
	return len(Split(t+" SELECT 1")) > len(Split(t))
}

// LocalFile is the client's file that a statement, if it is a LOAD DATA LOCAL, asks
// for.
func LocalFile(stmt string) (name string, ok bool) { return dialect.LocalFile(stmt) }
