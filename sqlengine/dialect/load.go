package dialect

import (
	"encoding/hex"
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// load reads LOAD DATA [LOCAL] INFILE.
func (g *grammar) load() (Statement, error) {
	s := &LoadData{Format: LoadFormat{Terminated: "\t", Escaped: `\`, LineTerminated: "\n"}}
	err := g.loadFile(s)
	if err != nil {
		return nil, err
	}
	if s.Replace = g.accept("REPLACE"); !s.Replace {
		s.Ignore = g.accept("IGNORE")
	}
	if err := g.expect("INTO", "TABLE"); err != nil {
		return nil, err
	}
	if s.Name, err = g.tableName(); err != nil {
		return nil, err
	}
	if s.Options, err = g.hint(); err != nil {
		return nil, err
	}
	if g.accept("PARTITION") {
		if s.Partition, err = g.partition(false /* dynamic */); err != nil {
			return nil, err
		}
	}
	if g.accept("CHARACTER", "SET") || g.accept("CHARSET") {
		read := g.ident
		if g.isString(g.i) {
			read = g.str
		}
		name, err := read("a character set")
		if err != nil {
			return nil, err
		}
		s.Charset = strings.ToLower(name)
	}
	if err := g.loadFormat(&s.Format); err != nil {
		return nil, err
	}
	return s, g.loadColumns(s)
}

// loadFile reads up to the file's name.
func (g *grammar) loadFile(s *LoadData) error {
	g.i = 2
	if !g.accept("LOW_PRIORITY") {
		g.accept("CONCURRENT")
	}
	s.Local = g.accept("LOCAL")
	if err := g.expect("INFILE"); err != nil {
		return err
	}
	var err error
	s.File, err = g.str("a file name")
	return err
}

func (g *grammar) loadFormat(f *LoadFormat) error {
	if g.accept("FIELDS") || g.accept("COLUMNS") {
		if err := g.clauses(f.fields); err != nil {
			return err
		}
	}
	if g.accept("LINES") {
		return g.clauses(f.lines)
	}
	return nil
}

// clauses reads one or more clauses, each by read, which says false to what is none.
func (g *grammar) clauses(read func(*grammar) (bool, error)) error {
	for n := 0; ; n++ {
		ok, err := read(g)
		switch {
		case err != nil:
			return err
		case !ok && n == 0:
			return g.errorf("expected TERMINATED BY")
		case !ok:
			return nil
		}
	}
}

func (f *LoadFormat) fields(g *grammar) (ok bool, err error) {
	switch {
	case g.accept("TERMINATED", "BY"):
		f.Terminated, err = g.separator()
	case g.accept("OPTIONALLY", "ENCLOSED", "BY"):
		f.OptionallyEnclosed = true
		f.Enclosed, err = g.oneByte()
	case g.accept("ENCLOSED", "BY"):
		f.Enclosed, err = g.oneByte()
	case g.accept("ESCAPED", "BY"):
		f.Escaped, err = g.oneByte()
	default:
		return false, nil
	}
	return true, err
}

func (f *LoadFormat) lines(g *grammar) (ok bool, err error) {
	switch {
	case g.accept("STARTING", "BY"):
		f.LineStarting, err = g.separator()
	case g.accept("TERMINATED", "BY"):
		f.LineTerminated, err = g.separator()
	default:
		return false, nil
	}
	return true, err
}

func (g *grammar) oneByte() (string, error) {
	pos := g.pos()
	s, err := g.separator()
	if err == nil && len(s) > 1 {
		return "", &Error{Code: codeSeparators, State: "42000", Pos: pos, Message: "Field separator argument is not what is expected; check the manual"}
	}
	return s, err
}

// separator reads a text or a number of hexadecimal digits, 0x2c or X'2c'.
func (g *grammar) separator() (string, error) {
	digits, isHex := "", false
	switch {
	case g.tokens[g.i].kind == tNumber:
		digits, isHex = strings.CutPrefix(strings.ToLower(g.text(g.i)), "0x")
	case g.is(g.i, "X") && g.isString(g.i+1):
		g.i++
		digits, isHex = strings.Trim(g.text(g.i), `'"`), true
	}
	if !isHex {
		return g.str("a separator")
	}
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return "", g.errorf("expected a separator")
	}
	g.i++
	return string(b), nil
}

func (g *grammar) loadColumns(s *LoadData) error {
	if g.accept("IGNORE") {
		n, err := strconv.ParseInt(g.text(g.i), 10, 64)
		if err != nil {
			return g.errorf("expected a number of lines")
		}
		g.i++
		if !g.accept("LINES") && !g.accept("ROWS") {
			return g.errorf("expected LINES or ROWS")
		}
		s.SkipLines = n
	}
	if g.acceptOp("(") && !g.acceptOp(")") {
		for {
			if g.tokens[g.i].kind == tVar {
				s.Columns = append(s.Columns, g.text(g.i))
				g.i++
			} else {
				name, err := g.ident("a column name")
				if err != nil {
					return err
				}
				s.Columns = append(s.Columns, name)
			}
			if g.acceptOp(")") {
				break
			}
			if !g.acceptOp(",") {
				return g.errorf("expected ',' or ')'")
			}
		}
	}
	if !g.accept("SET") {
		return nil
	}
	first := g.i
	var err error
	if s.Assign, err = g.assignments(func() bool { return g.op(g.i, ",") }); err != nil {
		return err
	}
	s.Set, err = g.host.assignments(g.lexed, s.Name, first, g.i)
	return err
}

// assignments parses the assignments in tokens [first, last) as those of an UPDATE
// of a table.
func (h *host) assignments(x *lexed, n TableName, first, last int) (ast.Statement, error) {
	r := &rewritten{src: x.src}
	pos := x.tokens[first].start
	table := quoteName(n.Table)
	if q := n.Qualifier(); q != "" {
		table = quoteName(q) + "." + table
	}
	r.put("UPDATE "+table+" SET ", pos, pos)
	stmt, err := h.spliced(x, r, first, last)
	if err != nil {
		return nil, err
	}
	return stmt, checkStatement(stmt)
}

// NotPrepared is the error of statements that cannot be prepared.
func NotPrepared() *Error {
	return &Error{Code: codeUnprepared, State: "HY000", Message: "This command is not supported in the prepared statement protocol yet"}
}

// LocalFile is the file of the client that a LOAD DATA LOCAL asks for.
func LocalFile(query string) (name string, ok bool) {
	g := &grammar{lexed: lex(query, 0, false)}
	if !g.is(0, "LOAD") || !g.is(1, "DATA") {
		return "", false
	}
	s := &LoadData{}
	err := g.loadFile(s)
	return s.File, err == nil && s.Local
}

// CanPrepare reports whether a statement can be prepared.
func CanPrepare(stmt ast.Statement) bool {
	in, ok := stmt.(ast.InjectedStatement)
	if !ok {
		return true
	}
	ours, ok := in.Statement.(*injected)
	if !ok {
		return true
	}
	_, load := ours.stmt.(*LoadData)
	return !load
}
