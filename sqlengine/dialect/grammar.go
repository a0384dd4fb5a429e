package dialect

import (
	"errors"
	"strings"

	"github.com/lakesql/lakesql/hints"
)

// grammar reads the tokens of one statement by recursive descent. Its methods
// move i over what they take; on an error i is of no use any more.
type grammar struct {
	*lexed
	i     int
	notes []string
	host  *host // for the parts that the host's parser reads
}

// errorf says that the current token is not what was expected.
func (g *grammar) errorf(expected string) error { return g.errorAt(g.tokens[g.i].start, expected) }

func (g *grammar) errorAt(pos int, detail string) error {
	return syntaxError(g.src[:g.end], pos, detail)
}

// peek reports whether the words w stand at the current token.
func (g *grammar) peek(w ...string) bool {
	for n, s := range w {
		if !g.is(g.i+n, s) {
			return false
		}
	}
	return true
}

// accept takes the words w, all of them or none.
func (g *grammar) accept(w ...string) bool {
	if !g.peek(w...) {
		return false
	}
	g.i += len(w)
	return true
}

// expect takes the words w.
func (g *grammar) expect(w ...string) error {
	for _, s := range w {
		if !g.accept(s) {
			return g.errorf("expected " + s)
		}
	}
	return nil
}

func (g *grammar) acceptOp(o string) bool {
	if !g.op(g.i, o) {
		return false
	}
	g.i++
	return true
}

func (g *grammar) expectOp(o string) error {
	if !g.acceptOp(o) {
		return g.errorf("expected '" + o + "'")
	}
	return nil
}

func (g *grammar) pos() int { return g.tokens[g.i].start }

func (g *grammar) atEnd() bool { return g.tokens[g.i].kind == tEOF }

// skip moves over one token, whatever it is, but never behind the end.
func (g *grammar) skip() {
	if !g.atEnd() {
		g.i++
	}
}

// finish checks that nothing is left.
func (g *grammar) finish() error {
	if !g.atEnd() {
		return g.errorf("expected the end of the statement")
	}
	return nil
}

func (g *grammar) ident(what string) (string, error) {
	s, ok := g.name(g.i)
	if !ok || s == "" {
		return "", g.errorf("expected " + what)
	}
	g.i++
	return s, nil
}

// tableName reads one to three names with dots.
func (g *grammar) tableName() (TableName, error) {
	n := TableName{Pos: g.pos()}
	var parts []string
	for {
		s, err := g.ident("a table name")
		if err != nil {
			return n, err
		}
		parts = append(parts, s)
		if !g.acceptOp(".") {
			break
		}
		if len(parts) == 3 {
			return n, g.errorf("a table name has at most three parts:")
		}
	}
	n.Table = parts[len(parts)-1]
	if len(parts) > 1 {
		n.Database = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		n.Catalog = parts[0]
	}
	return n, nil
}

// path reads a column name, dotted for members of nested types.
func (g *grammar) path() (string, error) {
	s, err := g.ident("a column name")
	for err == nil && g.acceptOp(".") {
		var next string
		if next, err = g.ident("a column name"); err == nil {
			s += "." + next
		}
	}
	return s, err
}

// isString reports whether token i is a string literal.
func (g *grammar) isString(i int) bool { return i < len(g.tokens) && g.tokens[i].kind == tString }

// str reads a string literal; literals side by side are one, as in MySQL.
func (g *grammar) str(what string) (string, error) {
	if !g.isString(g.i) {
		return "", g.errorf("expected " + what + " in quotes")
	}
	var b strings.Builder
	for g.isString(g.i) {
		s, _, _ := hints.Unquote(g.text(g.i))
		b.WriteString(s)
		g.i++
	}
	return b.String(), nil
}

// properties reads ('k'='v', …). Keys may be dotted names without quotes and
// values numbers or words, as Spark takes them.
func (g *grammar) properties() (hints.Set, error) {
	if err := g.expectOp("("); err != nil {
		return nil, err
	}
	var set hints.Set
	for {
		o := hints.Option{KeyPos: g.pos()}
		var err error
		if o.Key, err = g.optionKey(); err != nil {
			return nil, err
		}
		if err := g.expectOp("="); err != nil {
			return nil, err
		}
		o.ValuePos = g.pos()
		if o.Value, err = g.optionValue(); err != nil {
			return nil, err
		}
		if _, twice := set.Get(o.Key); twice {
			return nil, g.errorAt(o.KeyPos, "key '"+o.Key+"' is given twice")
		}
		set = append(set, o)
		if g.acceptOp(")") {
			return set, nil
		}
		if !g.acceptOp(",") {
			return nil, g.errorf("expected ',' or ')'")
		}
	}
}

// keys reads ('k', …).
func (g *grammar) keys() ([]string, error) {
	if err := g.expectOp("("); err != nil {
		return nil, err
	}
	var out []string
	for {
		k, err := g.optionKey()
		if err != nil {
			return nil, err
		}
		out = append(out, k)
		if g.acceptOp(")") {
			return out, nil
		}
		if !g.acceptOp(",") {
			return nil, g.errorf("expected ',' or ')'")
		}
	}
}

// optionKey reads a key: a string, or names and numbers joined by '.' and '-'
// without a gap.
func (g *grammar) optionKey() (string, error) {
	if g.isString(g.i) {
		return g.str("a key")
	}
	if g.tokens[g.i].kind == tQuoted {
		return g.ident("a key")
	}
	start := g.pos()
	if g.tokens[g.i].kind != tWord {
		return "", g.errorf("expected a key in quotes")
	}
	end := g.tokens[g.i].end
	g.i++
	for t := g.tokens[g.i]; t.start == end; t = g.tokens[g.i] {
		if t.kind != tWord && t.kind != tNumber && !g.op(g.i, ".") && !g.op(g.i, "-") {
			break
		}
		end = t.end
		g.i++
	}
	return g.src[start:end], nil
}

func (g *grammar) optionValue() (string, error) {
	if g.isString(g.i) {
		return g.str("a value")
	}
	sign := ""
	if g.acceptOp("-") {
		sign = "-"
	}
	t := g.tokens[g.i]
	if t.kind != tNumber && (t.kind != tWord || sign != "") {
		return "", g.errorf("expected a value in quotes")
	}
	g.i++
	return sign + g.src[t.start:t.end], nil
}

// balanced moves over tokens to the first one at this depth for which stop is
// true, to a ')' too many, or to the end. It returns the text in between.
func (g *grammar) balanced(stop func() bool) Text {
	first := g.i
	depth := 0
	for !g.atEnd() {
		if depth == 0 && g.i > first && stop() || depth == 0 && (g.op(g.i, ")") || g.op(g.i, "]")) {
			break
		}
		switch {
		case g.op(g.i, "("), g.op(g.i, "["):
			depth++
		case g.op(g.i, ")"), g.op(g.i, "]"):
			depth--
		}
		g.i++
	}
	if g.i == first {
		return Text{Pos: g.pos()}
	}
	start := g.tokens[first].start
	return Text{SQL: g.src[start:g.tokens[g.i-1].end], Pos: start}
}

// partition reads (col [= constant], …). Without values allowed only when
// dynamic.
func (g *grammar) partition(dynamic bool) (Partition, error) {
	if err := g.expectOp("("); err != nil {
		return nil, err
	}
	var out Partition
	for {
		var v hints.PartitionValue
		var err error
		if v.Column, err = g.ident("a partition column"); err != nil {
			return nil, err
		}
		if g.acceptOp("=") {
			if err := g.partitionValue(&v); err != nil {
				return nil, err
			}
		} else if !dynamic {
			return nil, g.errorf("expected '='")
		}
		out = append(out, v)
		if g.acceptOp(")") {
			return out, nil
		}
		if !g.acceptOp(",") {
			return nil, g.errorf("expected ',' or ')'")
		}
	}
}

func (g *grammar) partitionValue(v *hints.PartitionValue) error {
	switch {
	case g.accept("NULL"):
		v.Null = true
		return nil
	case (g.peek("DATE") || g.peek("TIMESTAMP") || g.peek("TIME")) && g.isString(g.i+1):
		g.i++
	}
	s, err := g.optionValue()
	if err != nil {
		return g.errorf("expected a constant")
	}
	v.Value = &s
	return nil
}

// hint takes a hint comment or a bare OPTIONS (…) that stands here, if any.
func (g *grammar) hint() (hints.Set, error) {
	t := g.tokens[g.i]
	if t.kind != tHint && !isBareHint(g.lexed, g.i) {
		return nil, nil
	}
	set, end, err := parseHint(g.lexed, t.start)
	if err != nil {
		return nil, err
	}
	for g.tokens[g.i].start < end {
		g.i++
	}
	return set, nil
}

// isBareHint reports whether OPTIONS ('…' stands at token i.
func isBareHint(x *lexed, i int) bool {
	return x.is(i, "OPTIONS") && x.op(i+1, "(") && i+2 < len(x.tokens) && x.tokens[i+2].kind == tString
}

// parseHint reads the hint at byte pos and returns where it ends.
func parseHint(x *lexed, pos int) (hints.Set, int, error) {
	set, n, err := hints.Parse(x.src[pos:x.end])
	if err != nil {
		var he *hints.Error
		if errors.As(err, &he) {
			return nil, 0, syntaxError(x.src[:x.end], pos+he.Pos, he.Detail)
		}
		return nil, 0, err
	}
	set.Shift(pos)
	return set, pos + n, nil
}
