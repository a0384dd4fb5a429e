package dialect

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/hints"
)

// readValue is the value of an AS OF clause that carries a table's options and
// its point in time, as the text of a hints.Read.
type readValue struct {
	options hints.Set
	kind    hints.AtKind
	at      sql.Expression // nil without time travel
}

var _ sql.Expression = (*readValue)(nil)

// WithResolvedChildren implements the host's ast.Injectable.
func (v *readValue) WithResolvedChildren(children []any) (any, error) {
	out := *v
	if len(children) > 1 {
		return nil, fmt.Errorf("time travel takes one point in time, got %d", len(children))
	}
	if len(children) == 1 && children[0] != nil {
		at, ok := children[0].(sql.Expression)
		if !ok {
			return nil, fmt.Errorf("time travel: %T is no expression", children[0])
		}
		out.at = at
	}
	return &out, nil
}

// Eval implements sql.Expression.
func (v *readValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	read := hints.Read{Options: v.options, At: hints.At{Kind: v.kind}}
	if v.kind == hints.AtNone {
		return read.Encode(), nil
	}
	if v.at == nil || isUnbound(v.at) {
		read.At.Unbound = true
		return read.Encode(), nil
	}
	value, err := v.at.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case nil:
		read.At.Unbound = true
	case time.Time:
		read.At.Text = value.UTC().Format("2006-01-02 15:04:05.999999999")
	case string:
		read.At.Text = value
	case []byte:
		read.At.Text = string(value)
	default:
		read.At.Text, read.At.Number = fmt.Sprint(value), true
	}
	return read.Encode(), nil
}

// isUnbound reports whether e has a parameter without a value: a statement is
// planned once when it is prepared.
func isUnbound(e sql.Expression) bool {
	unbound := !e.Resolved()
	sql.Inspect(e, func(e sql.Expression) bool {
		if _, ok := e.(*expression.BindVar); ok {
			unbound = true
		}
		return !unbound
	})
	return unbound
}

// Resolved implements sql.Expression.
func (v *readValue) Resolved() bool { return v.at == nil || v.at.Resolved() }

// String implements sql.Expression.
func (v *readValue) String() string { return v.options.String() }

// Type implements sql.Expression.
func (v *readValue) Type() sql.Type { return gmstypes.LongText }

// IsNullable implements sql.Expression.
func (v *readValue) IsNullable() bool { return false }

// Children implements sql.Expression.
func (v *readValue) Children() []sql.Expression {
	if v.at == nil {
		return nil
	}
	return []sql.Expression{v.at}
}

// WithChildren implements sql.Expression.
func (v *readValue) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(v.Children()) {
		return nil, sql.ErrInvalidChildrenNumber.New(v, len(children), len(v.Children()))
	}
	out := *v
	if len(children) == 1 {
		out.at = children[0]
	}
	return &out, nil
}
