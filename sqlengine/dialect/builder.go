package dialect

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Builder makes the node that runs a statement of ours.
//
// Build is called each time a statement is planned, so more than once for a
// prepared one, from any goroutine. children are the planned values of the
// statement's expressions, sql.Expression each: for Call one for every argument,
// for all other statements none. An error that Build returns reaches the client
// unchanged; a statement that is not supported is answered there, by name.
type Builder interface {
	Build(stmt Statement, children []any) (sql.ExecSourceRel, error)
}

// injected carries a Statement through the host's tree.
type injected struct {
	stmt    Statement
	text    string
	builder Builder
	err     error // set: the statement is refused, when it is planned
}

var _ ast.Injectable = (*injected)(nil)

// WithResolvedChildren implements the host's ast.Injectable.
func (n *injected) WithResolvedChildren(children []any) (any, error) {
	if n.err != nil {
		return nil, n.err
	}
	if n.builder == nil {
		return nil, unsupported(0, n.stmt.Kind())
	}
	return n.builder.Build(n.stmt, children)
}

// String is the typed text, for the host's traces.
func (n *injected) String() string { return n.text }
