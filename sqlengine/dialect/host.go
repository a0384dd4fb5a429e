package dialect

import (
	"context"
	"errors"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/dolthub/vitess/go/vt/vterrors"
)

// host parses pieces of one statement with the host's parser.
type host struct {
	options ast.ParserOptions
	builder Builder
}

// statement parses a whole statement: by our grammar if it is ours, else by the
// host's parser around our splices.
func (h *host) statement(x *lexed) (ast.Statement, error) {
	if bad := badToken(x); bad >= 0 {
		return nil, syntaxError(x.src[:x.end], x.tokens[bad].start, "")
	}
	g := &grammar{lexed: x, host: h}
	if text, ok := g.otherWords(); ok {
		return h.statement(lex(text, 0, h.options.AnsiQuotes))
	}
	if text, err := g.emptyShow(); err != nil {
		return nil, err
	} else if text != "" {
		return h.statement(lex(text, 0, h.options.AnsiQuotes))
	}
	stmt, err := g.ours()
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return h.query(x, 0, len(x.tokens)-1)
	}
	return h.inject(x, stmt)
}

// badToken returns the index of the first tBad token, or -1.
func badToken(x *lexed) int {
	for i, t := range x.tokens {
		if t.kind == tBad {
			return i
		}
	}
	return -1
}

// query parses tokens [first, last) as one statement of the host.
func (h *host) query(x *lexed, first, last int) (ast.Statement, error) {
	stmt, err := h.spliced(x, &rewritten{src: x.src}, first, last)
	if err != nil {
		return nil, err
	}
	return inQueries(stmt)
}

// spliced parses tokens [first, last) behind what r has.
func (h *host) spliced(x *lexed, r *rewritten, first, last int) (ast.Statement, error) {
	post, err := h.splice(x, r, first, last, 0 /* base */)
	if err != nil {
		return nil, err
	}
	stmt, err := h.parse(x, r, x.tokens[last].start)
	if err != nil {
		return nil, err
	}
	return post.apply(stmt, r)
}

// parse hands the rewritten text to the host's parser. An error is in terms of
// the typed text; end is where the piece ends in it.
func (h *host) parse(x *lexed, r *rewritten, end int) (ast.Statement, error) {
	text := r.out.String()
	stmt, err := ast.ParseWithOptions(context.Background(), text, h.options)
	if err == nil || errors.Is(err, ast.ErrEmpty) {
		return stmt, err
	}
	se, ok := vterrors.AsSyntaxError(err)
	if !ok {
		return nil, err
	}
	pos := h.offender(text, se)
	if pos >= len(text) {
		pos = end
	} else {
		pos = r.old(pos)
	}
	detail := ""
	if !strings.HasPrefix(se.Message, "syntax error") {
		detail, _, _ = strings.Cut(se.Message, " at position ")
	}
	if detail == noAlias {
		return nil, &Error{Code: codeNoAlias, State: "42000", Pos: pos, Message: noAlias}
	}
	return nil, syntaxError(x.src[:x.end], pos, detail)
}

// offender returns the offset of the token that the host's parser stumbled on.
// The host tells where its lexer stood, which is one byte behind that token.
func (h *host) offender(text string, se vterrors.SyntaxError) int {
	if se.Position > len(text) {
		// The last token, or the end? A byte that no statement holds tells.
		_, err := ast.ParseWithOptions(context.Background(), text+" ]", h.options)
		if se, ok := vterrors.AsSyntaxError(err); ok && se.Position > len(text)+1 {
			return len(text)
		}
	}
	x := lex(text, 0, h.options.AnsiQuotes)
	found := 0
	for _, t := range x.tokens {
		if t.kind == tEOF || t.start >= se.Position-1 {
			break
		}
		found = t.start
	}
	return found
}

// inject wraps a statement of ours for the host.
func (h *host) inject(x *lexed, stmt Statement) (ast.Statement, error) {
	in := ast.InjectedStatement{
		Statement: &injected{stmt: stmt, text: x.src[:x.end], builder: h.builder},
		Auth:      authOf(stmt),
	}
	if c, ok := stmt.(*Call); ok && len(c.Args) > 0 {
		children, err := h.arguments(x, c)
		if err != nil {
			return nil, err
		}
		in.Children = children
	}
	return in, nil
}

// refuse returns a statement that fails with err when it is planned.
func (h *host) refuse(text string, err error) ast.Statement {
	return ast.InjectedStatement{
		Statement: &injected{text: text, err: err},
		Auth:      ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore},
	}
}

// authOf is the privilege a statement needs. Statements without one check by
// hand or need none.
func authOf(stmt Statement) ast.AuthInformation {
	on := func(kind string, n TableName) ast.AuthInformation {
		return ast.AuthInformation{AuthType: kind, TargetType: ast.AuthTargetType_SingleTableIdentifier,
			TargetNames: []string{n.Qualifier(), n.Table}}
	}
	switch s := stmt.(type) {
	case *CreateTable:
		return ast.AuthInformation{AuthType: ast.AuthType_CREATE, TargetType: ast.AuthTargetType_DatabaseIdentifiers,
			TargetNames: []string{s.Name.Qualifier()}}
	case *DropDatabase:
		return ast.AuthInformation{AuthType: ast.AuthType_DROP, TargetType: ast.AuthTargetType_DatabaseIdentifiers,
			TargetNames: []string{s.Name}}
	case *AlterTable:
		return on(ast.AuthType_ALTER, s.Name)
	case *ShowPartitions:
		return on(ast.AuthType_SELECT, s.Name)
	case *ShowTags:
		return on(ast.AuthType_SELECT, s.Name)
	case *MergeInto:
		return on(ast.AuthType_INSERT, s.Target)
	case *InsertValues:
		return on(ast.AuthType_INSERT, s.Name)
	case *LoadData:
		return on(ast.AuthType_INSERT, s.Name)
	case *TruncatePartitions:
		return on(ast.AuthType_DROP, s.Name)
	}
	return ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore}
}

// arguments parses the arguments of a CALL in one go, so that parameters are
// numbered across them.
func (h *host) arguments(x *lexed, c *Call) (ast.Exprs, error) {
	r := &rewritten{src: x.src}
	r.put("SELECT ", c.Pos, c.Pos)
	var post postPass
	at := 0
	for i, a := range c.Args {
		if i > 0 {
			r.put(", ", a.Text.Pos, a.Text.Pos)
		}
		first := at
		for x.tokens[first].start < a.Text.Pos {
			first++
		}
		last := first
		for x.tokens[last].start < a.Text.Pos+len(a.Text.SQL) && x.tokens[last].kind != tEOF {
			last++
		}
		at = last
		p, err := h.splice(x, r, first, last, len(post.reads))
		if err != nil {
			return nil, err
		}
		post.merge(p)
	}
	stmt, err := h.parse(x, r, x.end)
	if err != nil {
		return nil, err
	}
	if stmt, err = post.apply(stmt, r); err != nil {
		return nil, err
	}
	sel, ok := stmt.(*ast.Select)
	if !ok || len(sel.SelectExprs) != len(c.Args) || len(sel.From) > 0 && !isDual(sel.From) {
		return nil, syntaxError(x.src[:x.end], c.Args[0].Text.Pos, "expected arguments")
	}
	var out ast.Exprs
	for i, e := range sel.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok || !a.As.IsEmpty() {
			return nil, syntaxError(x.src[:x.end], c.Args[i].Text.Pos, "expected a value")
		}
		out = append(out, a.Expr)
	}
	return out, nil
}

// isDual reports whether from is the table that the host adds to SELECT 1.
func isDual(from ast.TableExprs) bool {
	if len(from) != 1 {
		return false
	}
	t, ok := from[0].(*ast.AliasedTableExpr)
	if !ok {
		return false
	}
	n, ok := t.Expr.(ast.TableName)
	return ok && n.DbQualifier.IsEmpty() && strings.EqualFold(n.Name.String(), "dual")
}
