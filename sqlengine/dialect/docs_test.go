package dialect

import (
	"errors"
	"os"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// TestDocumentedStatements holds the table of statements in docs/sql.md against
// the parser: its first two columns.
func TestDocumentedStatements(t *testing.T) {
	text, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "\n## Statements\n")
	if !ok {
		t.Fatal("docs/sql.md has no section Statements")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	seen := map[string]bool{}
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, " | ")
		query, ok := strings.CutPrefix(cells[0], "| `")
		if !ok || len(cells) != 3 {
			continue
		}
		query = strings.TrimSuffix(query, "`")
		if got := readAs(t, query); got != cells[1] {
			t.Errorf("%s: read as %s, docs/sql.md says %s", query, got, cells[1])
		}
		seen[cells[1]] = true
	}
	if len(seen) < 20 {
		t.Errorf("only %d kinds of statements are documented", len(seen))
	}
}

func readAs(t *testing.T, query string) string {
	t.Helper()
	stmt, err := New(Config{}).ParseSimple(query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return ""
	}
	in, ok := stmt.(ast.InjectedStatement)
	if !ok {
		return "host"
	}
	n := in.Statement.(*injected)
	var e *Error
	if errors.As(n.err, &e) && e.Code == codeUnsupported {
		return "refused"
	}
	return n.stmt.Kind()
}
