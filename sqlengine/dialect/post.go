package dialect

import (
	"sort"
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
	casts   bool
	rollup  bool
	placed  []bool   // by read: its table was found
	ctes    []string // names of common table expressions
	err     error
}

// merge adds what another piece of the same text needs.
func (p *postPass) merge(o postPass) {
	p.src = o.src
	p.reads = append(p.reads, o.reads...)
	p.like = p.like || o.like
	p.windows = p.windows || o.windows
	p.casts = p.casts || o.casts
	p.rollup = p.rollup || o.rollup
	p.placed = make([]bool, len(p.reads))
}

// apply repairs the tree in place and returns it.
func (p *postPass) apply(stmt ast.Statement, r *rewritten) (ast.Statement, error) {
	bareTarget(stmt)
	if err := checkTree(stmt); err != nil {
		return nil, err
	}
	if hasNames(stmt) {
		if err := plainWindows(stmt); err != nil {
			return nil, err
		}
	}
	if p.casts {
		walkTree(stmt, func(n any) bool {
			if c, ok := n.(*ast.ConvertExpr); ok {
				cutText(c)
			}
			return true
		})
	}
	if p.rollup {
		if err := rollups(stmt); err != nil {
			return nil, err
		}
	}
	if len(p.reads) == 0 && !p.like && !p.windows && (!r.changed && !p.src.remarks || !hasNames(stmt)) {
		return stmt, nil
	}
	p.walk(stmt, r)
	if p.err != nil {
		return nil, p.err
	}
	for i, done := range p.placed {
		if !done {
			return nil, p.misplaced(i)
		}
	}
	return stmt, nil
}

// walk repairs the tree below node, keeping count of the names that common
// table expressions give to queries.
func (p *postPass) walk(node any, r *rewritten) {
	walkTree(node, func(n any) bool {
		if p.err != nil {
			return false
		}
		p.node(n, r)
		with := withOf(n)
		if with == nil || *with == nil {
			return true
		}
		w, outer := *with, len(p.ctes)
		for _, cte := range w.Ctes {
			if w.Recursive {
				p.ctes = append(p.ctes, cte.As.String())
			}
			p.walk(cte.AliasedTableExpr, r)
			if !w.Recursive {
				p.ctes = append(p.ctes, cte.As.String())
			}
		}
		*with = nil
		p.walkBelow(n, r)
		*with = w
		p.ctes = p.ctes[:outer]
		return false
	})
}

// walkBelow walks what n holds, but for n itself.
func (p *postPass) walkBelow(n any, r *rewritten) {
	first := true
	walkTree(n, func(m any) bool {
		if first {
			first = false
			return true
		}
		p.walk(m, r)
		return false
	})
}

// withOf returns the place of a statement's WITH, or nil for other nodes.
func withOf(n any) **ast.With {
	switch n := n.(type) {
	case *ast.Select:
		return &n.With
	case *ast.SetOp:
		return &n.With
	case *ast.Insert:
		return &n.With
	case *ast.Update:
		return &n.With
	case *ast.Delete:
		return &n.With
	}
	return nil
}

// misplaced says that the options of reads[i] have no table.
func (p *postPass) misplaced(i int) error {
	return syntaxError(p.src.src[:p.src.end], p.reads[i].pos, "options and time travel are not allowed here;")
}

// bareTarget takes what a database's name carries out of the privileges that a
// statement asks for: an empty name then stands for the session's database.
func bareTarget(stmt ast.Statement) {
	var auth *ast.AuthInformation
	switch n := stmt.(type) {
	case *ast.Insert:
		auth = &n.Auth
	case *ast.Delete:
		if len(n.TableExprs) == 1 {
			if t, ok := n.TableExprs[0].(*ast.AliasedTableExpr); ok {
				auth = &t.Auth
			}
		}
	}
	if auth != nil && len(auth.TargetNames) > 0 {
		auth.TargetNames[0], _, _ = strings.Cut(auth.TargetNames[0], "/")
	}
}

// conditionOfJoin gives an UPDATE of joined tables without a condition one that is
// always true: the host refuses tables without a key where it meets the join itself.
func conditionOfJoin(stmt ast.Statement) {
	n, ok := stmt.(*ast.Update)
	if !ok || n.Where != nil || len(n.TableExprs) == 0 {
		return
	}
	if _, one := n.TableExprs[0].(*ast.AliasedTableExpr); !one || len(n.TableExprs) > 1 {
		n.Where = ast.NewWhere(ast.WhereStr, ast.NewIntVal([]byte("1")))
	}
}

// markExists makes the host plan the subqueries of EXISTS in UPDATE and DELETE: it
// takes such a statement for one without subqueries unless a scalar one stands in
// it as well, and it cannot delete from the joins that it makes of EXISTS. Such a
// condition becomes CASE WHEN condition THEN (SELECT 1) END.
func markExists(stmt ast.Statement) error {
	var where **ast.Where
	switch n := stmt.(type) {
	case *ast.Delete:
		where = &n.Where
	case *ast.Update:
		where = &n.Where
		if holdsExists(n.Exprs) && n.Where == nil {
			n.Where = ast.NewWhere(ast.WhereStr, ast.NewIntVal([]byte("1")))
		}
	default:
		return nil
	}
	if *where == nil || !holdsExists(stmt) {
		return nil
	}
	one, err := ast.Parse("SELECT 1")
	if err != nil {
		return err
	}
	if sel, ok := one.(ast.SelectStatement); ok {
		cond, done := opaque((*where).Expr, sel)
		if !done { // EXISTS stands elsewhere
			cond = &ast.AndExpr{Left: cond, Right: &ast.Subquery{Select: sel}}
		}
		*where = ast.NewWhere(ast.WhereStr, cond)
	}
	return nil
}

// opaque hides the conjuncts of e that hold an EXISTS; done says that there were any.
func opaque(e ast.Expr, one ast.SelectStatement) (out ast.Expr, done bool) {
	if and, ok := e.(*ast.AndExpr); ok {
		l, ldone := opaque(and.Left, one)
		r, rdone := opaque(and.Right, one)
		return &ast.AndExpr{Left: l, Right: r}, ldone || rdone
	}
	if !holdsExists(e) {
		return e, false
	}
	return &ast.CaseExpr{Whens: []*ast.When{{Cond: e, Val: &ast.Subquery{Select: one}}}}, true
}

func holdsExists(node any) bool {
	found := false
	walkTree(node, func(n any) bool {
		if _, ok := n.(*ast.ExistsExpr); ok {
			found = true
		}
		return !found
	})
	return found
}

// hasNames reports whether the tree may hold names or positions taken from the
// text. The rows of an INSERT … VALUES, which may be many, do not.
func hasNames(stmt ast.Statement) bool {
	if ins, ok := stmt.(*ast.Insert); ok {
		switch ins.Rows.(type) {
		case ast.Values, *ast.AliasedValues:
			return false
		}
	}
	return true
}

// node repairs one node; r is the text it was parsed from.
func (p *postPass) node(n any, r *rewritten) {
	switch n := n.(type) {
	case *ast.ComparisonExpr:
		// Without ESCAPE the host turns LIKE 'x%' into a range that loses rows.
		if (n.Operator == ast.LikeStr || n.Operator == ast.NotLikeStr) && n.Escape == nil {
			n.Escape = ast.NewStrVal([]byte(`\`))
		}
	case *ast.AliasedTableExpr:
		p.asOf(n)
	case *ast.AliasedExpr:
		if n.InputExpression != "" && p.src != nil && n.EndParsePos > n.StartParsePos {
			n.InputExpression = p.typed(r.old(n.StartParsePos), r.oldEnd(n.EndParsePos))
		}
	case *ast.FuncExpr:
		p.window(n)
	case *ast.DDL:
		// Views and stored programs are kept as text and parsed again.
		if n.SubStatementPositionEnd > n.SubStatementPositionStart && r.changed {
			base := p.src.tokens[0].start
			n.SubStatementPositionStart = r.old(n.SubStatementPositionStart) - base
			n.SubStatementPositionEnd = r.oldEnd(n.SubStatementPositionEnd) - base
		}
	}
}

// cutText makes CAST(x AS CHAR(n)) cut as LEFT does: the host drops the length of
// a cast from text to text, and else counts bytes.
func cutText(c *ast.ConvertExpr) {
	if c.Type == nil || c.Type.Length == nil || !strings.EqualFold(c.Type.Type, "char") && !strings.EqualFold(c.Type.Type, "nchar") {
		return
	}
	whole := *c.Type
	whole.Length = nil
	text := &ast.ConvertExpr{Name: c.Name, Expr: c.Expr, Type: &whole}
	c.Expr = &ast.FuncExpr{Name: ast.NewColIdent("left"), Exprs: ast.SelectExprs{
		&ast.AliasedExpr{Expr: text}, &ast.AliasedExpr{Expr: c.Type.Length},
	}}
	c.Type = &whole
}

// typed names a result column: it is the typed text of [from, to), without the
// comments and blanks around it.
func (p *postPass) typed(from, to int) string {
	tokens := p.src.tokens[:len(p.src.tokens)-1]
	i := sort.Search(len(tokens), func(i int) bool { return tokens[i].start >= from })
	j := sort.Search(len(tokens), func(j int) bool { return tokens[j].end > to }) - 1
	if i > j {
		return ""
	}
	return trimQuotes(p.src.src[tokens[i].start:tokens[j].end])
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
	for i, e := range children {
		// VERSION AS OF v1: the name of a tag, without quotes.
		if c, ok := e.(*ast.ColName); ok && c.Qualifier.IsEmpty() && !strings.HasPrefix(c.Name.String(), "@") {
			children[i] = ast.NewStrVal([]byte(c.Name.String()))
		}
	}
	if name, ok := n.Expr.(ast.TableName); ok && name.DbQualifier.IsEmpty() {
		for _, cte := range p.ctes {
			if strings.EqualFold(cte, name.Name.String()) {
				return // not a table: its options would be dropped
			}
		}
	}
	n.AsOf = &ast.AsOf{Time: ast.InjectedExpr{
		Expression: &readValue{options: rd.options, kind: rd.kind},
		Children:   children,
		Auth:       ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore},
	}}
	p.placed[number] = true
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
