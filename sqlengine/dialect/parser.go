package dialect

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Config is what a Parser needs.
type Config struct {
	// Builder makes the nodes of our statements. Without one, every statement
	// of ours is refused when it is planned, not when it is parsed.
	Builder Builder
	// Columns gives the names of a table's columns, nil for what is no table; db may be
	// "". Without it INSERT … SELECT needs a list of columns where ON DUPLICATE KEY
	// UPDATE has VALUES(c).
	Columns func(ctx *sql.Context, db, table string) []string
	// Values makes statements of INSERT … VALUES of constants; without it they are
	// the host's.
	Values bool
}

// Parser is the host's sql.Parser for lakesql's dialect. It is immutable.
//
// Engine.Parser and sql.GlobalParser must both be set to one: the host parses
// views and stored programs with either.
type Parser struct {
	builder Builder
	values  bool
	columns func(ctx *sql.Context, db, table string) []string
}

var _ sql.Parser = (*Parser)(nil)

// New returns a parser.
func New(c Config) *Parser { return &Parser{builder: c.Builder, values: c.Values, columns: c.Columns} }

// ParseSimple implements sql.Parser.
func (p *Parser) ParseSimple(query string) (ast.Statement, error) {
	stmt, _, _, err := p.ParseWithOptions(context.Background(), query, ';', false, ast.ParserOptions{})
	return stmt, err
}

// Parse implements sql.Parser with the session's SQL mode.
func (p *Parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, sql.LoadSqlMode(ctx).ParserOptions())
}

// ParseWithOptions implements sql.Parser. The parsed text it returns is the
// typed one, so that stored views keep their hints. Faults are of type *Error,
// but for empty statements, which are the host's ErrEmpty. What is refused by
// name is no fault of the text: it comes back as a statement that fails when it
// is planned, since the host turns every fault of a text into a syntax error.
func (p *Parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options ast.ParserOptions) (ast.Statement, string, string, error) {
	text := sql.RemoveSpaceAndDelimiter(query, delimiter)
	stmt, end, err := p.parse(ctx, text, options)
	if err != nil && !multi && errors.Is(err, ast.ErrEmpty) && end < len(text) {
		// A comment or a bare ';' before the only statement.
		return p.ParseWithOptions(ctx, text[end+1:], delimiter, multi, options)
	}
	if end >= len(text) {
		return stmt, text, "", err
	}
	rest := text[end+1:]
	if !multi {
		if err == nil && !isEmpty(rest, options.AnsiQuotes) {
			err = syntaxError(text, end+1+leadingSpace(rest), "one statement at a time is allowed here;")
		}
		return stmt, text, "", err
	}
	return stmt, sql.RemoveSpaceAndDelimiter(text[:end], delimiter), rest, err
}

// ParseOneWithOptions implements sql.Parser.
func (p *Parser) ParseOneWithOptions(ctx context.Context, query string, options ast.ParserOptions) (ast.Statement, int, error) {
	stmt, end, err := p.parse(ctx, query, options)
	if err != nil && !errors.Is(err, ast.ErrEmpty) {
		return nil, 0, err
	}
	return stmt, min(end+1, len(query)), err
}

// CountParams returns the number of ? in the first statement of query.
func CountParams(query string, options ast.ParserOptions) int {
	n := 0
	for _, t := range lex(query, 0, options.AnsiQuotes).tokens {
		if t.kind == tParam {
			n++
		}
	}
	return n
}

// Split cuts query into its statements, without their semicolons. Quotes,
// comments and the bodies of stored programs may hold semicolons. Statements
// without any token are left out.
func Split(query string, options ast.ParserOptions) []string {
	var out []string
	for at := 0; at < len(query); {
		x := lex(query, at, options.AnsiQuotes)
		if len(x.tokens) > 1 {
			out = append(out, strings.TrimSpace(query[at:x.end]))
		}
		at = x.end + 1
	}
	return out
}

func isEmpty(text string, ansi bool) bool {
	for at := 0; at < len(text); {
		x := lex(text, at, ansi)
		if len(x.tokens) > 1 {
			return false
		}
		at = x.end + 1
	}
	return true
}

func leadingSpace(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n;")) }

// parse reads the first statement of text and returns the offset of its end:
// of its ';', or len(text).
func (p *Parser) parse(ctx context.Context, text string, options ast.ParserOptions) (ast.Statement, int, error) {
	stmt, end, err := p.read(text, options)
	if err != nil {
		return stmt, end, err
	}
	if strings.IndexByte(text[:end], '~') >= 0 {
		invertBits(stmt)
	}
	if ins, ok := stmt.(*ast.Insert); ok {
		p.valuesOfQuery(ctx, ins)
	}
	return stmt, end, nil
}

// invertBits writes ~x, which the host lacks, as +(x ^ 18446744073709551615).
func invertBits(stmt ast.Statement) {
	walkTree(stmt, func(n any) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Operator == ast.TildaStr {
			ones := ast.NewIntVal(strconv.AppendUint(nil, math.MaxUint64, 10))
			u.Operator, u.Expr = ast.UPlusStr, &ast.BinaryExpr{Left: u.Expr, Operator: ast.BitXorStr, Right: ones}
		}
		return true
	})
}

func (p *Parser) read(text string, options ast.ParserOptions) (ast.Statement, int, error) {
	if p.values {
		if s, end, ok := scanValues(text, options.AnsiQuotes); ok {
			return injectValues(s, text[:end], p.builder), end, nil
		}
	}
	if end, like, ok := scanPlain(text, options.AnsiQuotes); ok {
		stmt, err := ast.ParseWithOptions(context.Background(), text[:end], options)
		if err == nil && like {
			post := postPass{like: true}
			stmt, err = post.apply(stmt, &rewritten{})
		} else if err == nil {
			err = checkTree(stmt)
		}
		if err == nil && checkStatement(stmt) == nil {
			return stmt, end, nil
		}
	}
	h := &host{options: options, builder: p.builder}
	x := lex(text, 0, options.AnsiQuotes)
	if len(x.tokens) == 1 {
		return nil, x.end, ast.ErrEmpty
	}
	stmt, err := h.statement(x)
	if err == nil {
		return stmt, x.end, nil
	}
	var e *Error
	if errors.As(err, &e) {
		e.locate(text[:x.end])
		if e.Code != codeSyntax {
			return h.refuse(text[:x.end], e), x.end, nil
		}
	}
	return nil, x.end, err
}
