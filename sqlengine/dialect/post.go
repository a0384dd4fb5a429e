package dialect

import (
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// postPass says what is left to do on the host's tree after it has parsed a
// rewritten text.
type postPass struct {
	src     *lexed
	reads   []read
	like    bool
	windows bool
	placed  int
	err     error
}

// merge adds what another piece of the same text needs.
func (p *postPass) merge(o postPass) {
	p.src = o.src
	p.reads = append(p.reads, o.reads...)
	p.like = p.like || o.like
	p.windows = p.windows || o.windows
}

// apply repairs the tree in place and returns it.
func (p *postPass) apply(stmt ast.Statement, r *rewritten) (ast.Statement, error) {
	if len(p.reads) == 0 && !p.like && !p.windows && !r.changed {
		return stmt, nil
	}
	p.walk(stmt, r)
	if p.err != nil {
		return nil, p.err
	}
	if p.placed != len(p.reads) {
		pos := 0
		for _, rd := range p.reads {
			pos = rd.pos
		}
		return nil, syntaxError(p.src.src[:p.src.end], pos, "options and time travel are not allowed here;")
	}
	return stmt, nil
}

func (p *postPass) walk(node ast.SQLNode, r *rewritten) {
	visit := func(n ast.SQLNode) (bool, error) {
		p.node(n, r)
		return true, p.err
	}
	if err := ast.Walk(visit, node); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *postPass) node(n ast.SQLNode, r *rewritten) {
	switch n := n.(type) {
	case *ast.ComparisonExpr:
		// Without ESCAPE the host turns LIKE 'x%' into a range that loses rows.
		if (n.Operator == ast.LikeStr || n.Operator == ast.NotLikeStr) && n.Escape == nil {
			n.Escape = ast.NewStrVal([]byte(`\`))
		}
	case *ast.AliasedTableExpr:
		p.asOf(n)
	case *ast.AliasedExpr:
		if n.InputExpression != "" && r.changed && n.EndParsePos > n.StartParsePos {
			from, to := r.old(n.StartParsePos), r.oldEnd(n.EndParsePos)
			if from < to {
				n.InputExpression = trimQuotes(strings.Trim(r.src[from:to], " \n\t"))
			}
		}
	case *ast.FuncExpr:
		p.window(n)
	case *ast.DDL:
		p.ddl(n, r)
	}
}

// ddl maps the positions of a view's or a program's body back to the typed
// text, and goes on into a view's query, which the host's Walk leaves out.
func (p *postPass) ddl(n *ast.DDL, r *rewritten) {
	if n.SubStatementPositionEnd > n.SubStatementPositionStart && r.changed {
		base := p.src.tokens[0].start
		n.SubStatementPositionStart = r.old(n.SubStatementPositionStart) - base
		n.SubStatementPositionEnd = r.oldEnd(n.SubStatementPositionEnd) - base
	}
	if n.ViewSpec != nil && n.ViewSpec.ViewExpr != nil {
		p.walk(n.ViewSpec.ViewExpr, r)
	}
}

// asOf puts the options and the point in time where the planner meets them.
func (p *postPass) asOf(n *ast.AliasedTableExpr) {
	if n.AsOf == nil {
		return
	}
	f, ok := n.AsOf.Time.(*ast.FuncExpr)
	if !ok || f.Name.Lowered() != asOfFunc {
		return
	}
	number, children := -1, ast.Exprs(nil)
	for i, e := range f.Exprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok {
			return
		}
		if i > 0 {
			children = append(children, a.Expr)
			continue
		}
		if v, ok := a.Expr.(*ast.SQLVal); ok {
			number, _ = strconv.Atoi(string(v.Val))
		}
	}
	if number < 0 || number >= len(p.reads) {
		return
	}
	rd := p.reads[number]
	n.AsOf = &ast.AsOf{Time: ast.InjectedExpr{
		Expression: &readValue{options: rd.options, kind: rd.kind},
		Children:   children,
		Auth:       ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore},
	}}
	p.placed++
}

// windowFuncs are the window functions whose intervals become milliseconds: the
// host allows an INTERVAL nowhere but in date arithmetic.
var windowFuncs = words(`TUMBLE HOP CUMULATE TUMBLE_START TUMBLE_END HOP_START HOP_END
	CUMULATE_START CUMULATE_END SESSION_START SESSION_END`)

var unitMillis = map[string]int64{
	"MILLISECOND": 1, "SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000, "WEEK": 604_800_000,
}

func (p *postPass) window(f *ast.FuncExpr) {
	if !windowFuncs[strings.ToUpper(f.Name.String())] {
		return
	}
	for _, e := range f.Exprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok {
			continue
		}
		iv, ok := a.Expr.(*ast.IntervalExpr)
		if !ok {
			continue
		}
		v, ok := iv.Expr.(*ast.SQLVal)
		unit := unitMillis[strings.ToUpper(iv.Unit)]
		if !ok || unit == 0 {
			p.err = unsupported(0, f.Name.String()+" with an interval in "+iv.Unit)
			return
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(v.Val)), 10, 64)
		if err != nil || n <= 0 || n > 1<<40 {
			p.err = unsupported(0, "an interval of '"+string(v.Val)+"' in "+f.Name.String())
			return
		}
		a.Expr = ast.NewIntVal([]byte(strconv.FormatInt(n*unit, 10)))
	}
}

// trimQuotes takes the quotes off an expression that is one quoted literal: the
// host names a result column so.
func trimQuotes(s string) string {
	if len(s) < 2 {
		return s
	}
	q := s[0]
	if q != s[len(s)-1] || q != '`' && q != '"' && q != '\'' {
		return s
	}
	for i := 1; i < len(s)-1; i++ {
		switch {
		case s[i] == '\\' && q != '`':
			i++
		case s[i] == q && s[i+1] == q && i+1 < len(s)-1:
			i++
		case s[i] == q:
			return s
		}
	}
	return s[1 : len(s)-1]
}
