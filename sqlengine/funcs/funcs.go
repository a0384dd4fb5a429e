package funcs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// entry is one function of the list.
type entry struct {
	name     string
	min, max int                                            // how many arguments; max < 0: any number
	typ      func([]sql.Expression) sql.Type                // of the result
	check    func(name string, args []sql.Expression) error // of a call, before it is typed; may be nil
	eval     func(*sql.Context, *call, []any) (any, error)
	nulls    bool // eval is asked for NULL arguments too
}

// Provider finds the functions by name, for the host. It is immutable.
type Provider struct{ byName map[string]sql.Function }

var _ sql.FunctionProvider = (*Provider)(nil)

// New returns the provider of all functions, and of those that are given.
func New(more ...sql.Function) *Provider {
	p := &Provider{byName: map[string]sql.Function{}}
	for _, list := range [][]entry{clockFunctions(), calendarFunctions(), zoneFunctions(), numberFunctions(), bitFunctions(), textFunctions(), rollupFunctions()} {
		for _, e := range list {
			p.byName[e.name] = e.function()
		}
	}
	for _, name := range []string{"greatest", "least"} {
		p.byName[name] = extremeFunction(name)
	}
	for _, name := range []string{"session_user", "system_user"} {
		p.byName[name] = sql.NewFunction0(name, function.NewUser)
	}
	for _, f := range []sql.Function{quantifierFunction(dialect.AnyFunc), quantifierFunction(dialect.AllFunc), assignFunction(), exactFunction(), formatFunction(), benchmarkFunction()} {
		p.byName[f.FunctionName()] = f
	}
	for _, f := range append(longTextFunctions(), more...) {
		p.byName[f.FunctionName()] = f
	}
	return p
}

// Function implements sql.FunctionProvider.
func (p *Provider) Function(_ *sql.Context, name string) (sql.Function, bool) {
	f, ok := p.byName[strings.ToLower(name)]
	return f, ok
}

func (e entry) function() sql.Function {
	return sql.FunctionN{Name: e.name, Fn: func(args ...sql.Expression) (sql.Expression, error) {
		if len(args) < e.min || e.max >= 0 && len(args) > e.max {
			want := e.min
			if len(args) > e.min {
				want = e.max
			}
			return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(e.name), want, len(args))
		}
		if e.check != nil {
			if err := e.check(e.name, args); err != nil {
				return nil, err
			}
		}
		return &call{entry: &e, args: args}, nil
	}}
}

// call is a function with its arguments.
type call struct {
	*entry
	args []sql.Expression
}

var (
	_ sql.FunctionExpression = (*call)(nil)
	_ sql.CollationCoercible = (*call)(nil)
)

// Eval implements sql.Expression.
func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values := make([]any, len(c.args))
	for i, a := range c.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v, err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
		if v == nil && !c.nulls {
			return nil, nil
		}
		values[i] = v
	}
	return c.eval(ctx, c, values)
}

// Type implements sql.Expression.
func (c *call) Type() sql.Type { return c.typ(c.args) }

// IsNullable implements sql.Expression.
func (c *call) IsNullable() bool { return true }

// Resolved implements sql.Expression.
func (c *call) Resolved() bool {
	for _, a := range c.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (c *call) String() string {
	args := make([]string, len(c.args))
	for i, a := range c.args {
		args[i] = a.String()
	}
	return c.name + "(" + strings.Join(args, ",") + ")"
}

// FunctionName implements sql.FunctionExpression.
func (c *call) FunctionName() string { return c.name }

// Description implements sql.FunctionExpression.
func (c *call) Description() string { return "MySQL's function " + strings.ToUpper(c.name) }

// CollationCoercibility implements sql.CollationCoercible.
func (c *call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if gmstypes.IsTextOnly(c.Type()) {
		return ctx.GetCollation(), 4
	}
	return sql.Collation_binary, 5
}

// Children implements sql.Expression.
func (c *call) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.args))
	}
	return &call{entry: c.entry, args: children}, nil
}

// fixed is the type of functions that always have it.
func fixed(t sql.Type) func([]sql.Expression) sql.Type {
	return func([]sql.Expression) sql.Type { return t }
}
