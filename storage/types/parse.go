package types

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads the text form of a type, as schema files hold it: INT NOT NULL,
// DECIMAL(10, 2), TIMESTAMP(6) WITH LOCAL TIME ZONE. Words are read in any case, and
// synonyms (INTEGER, NUMERIC, TIMESTAMP_LTZ, postfix ARRAY and MULTISET) are taken.
// ARRAY, MAP, MULTISET and ROW with their members have no text form, see UnmarshalJSON.
func Parse(text string) (Type, error) {
	p := parser{text: text}
	if err := p.tokenize(); err != nil {
		return Type{}, err
	}
	t, err := p.typ(0)
	if err == nil && p.at < len(p.tokens) {
		err = p.fail("unexpected %q", p.tokens[p.at].text)
	}
	if err == nil {
		if verr := t.Validate(); verr != nil {
			err = p.fail("%v", verr)
		}
	}
	if err != nil {
		return Type{}, err
	}
	return t, nil
}

type tokenKind uint8

const (
	word tokenKind = iota
	number
	quoted
	mark
)

type token struct {
	kind tokenKind
	text string // upper stays as written; see parser.word
}

type parser struct {
	text   string
	tokens []token
	at     int
}

func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf("parse type %q: %w", p.text, fmt.Errorf(format, args...))
}

const marks = "<>(),."

func (p *parser) tokenize() error {
	s := p.text
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case strings.ContainsRune(marks, r):
			p.tokens = append(p.tokens, token{mark, s[i : i+1]})
			i++
		case r == '\'' || r == '`':
			text, n := unquote(s[i:])
			if n < 0 {
				return p.fail("%q is not closed", s[i:])
			}
			p.tokens = append(p.tokens, token{quoted, text})
			i += n
		case r >= '0' && r <= '9':
			end := i
			for end < len(s) && s[end] >= '0' && s[end] <= '9' {
				end++
			}
			p.tokens = append(p.tokens, token{number, s[i:end]})
			i = end
		default:
			n := strings.IndexFunc(s[i:], func(r rune) bool {
				return unicode.IsSpace(r) || strings.ContainsRune(marks, r)
			})
			if n < 0 {
				n = len(s) - i
			}
			p.tokens = append(p.tokens, token{word, s[i : i+n]})
			i += n
		}
	}
	return nil
}

// unquote reads a quoted text at the start of s, in which the quote is doubled, and
// tells how many bytes it took; -1 when it has no end.
func unquote(s string) (string, int) {
	q := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != q {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			b.WriteByte(q)
			i++
			continue
		}
		return b.String(), i + 1
	}
	return "", -1
}

// take consumes the words (or marks) if they come next.
func (p *parser) take(want ...string) bool {
	if p.at+len(want) > len(p.tokens) {
		return false
	}
	for i, w := range want {
		t := p.tokens[p.at+i]
		if t.kind != word && t.kind != mark || !strings.EqualFold(t.text, w) {
			return false
		}
	}
	p.at += len(want)
	return true
}

func (p *parser) number() (int, error) {
	if p.at < len(p.tokens) && p.tokens[p.at].kind == number {
		if n, ok := atoi(p.tokens[p.at].text); ok {
			p.at++
			return n, nil
		}
		return 0, p.fail("number %s is too large", p.tokens[p.at].text)
	}
	return 0, p.fail("a number is missing")
}

// param reads an optional "(n)".
func (p *parser) param(absent int) (int, error) {
	if !p.take("(") {
		return absent, nil
	}
	n, err := p.number()
	if err == nil && !p.take(")") {
		err = p.fail("a closing parenthesis is missing")
	}
	return n, err
}

func (p *parser) nullability() bool {
	if p.take("NOT", "NULL") {
		return true
	}
	p.take("NULL")
	return false
}

// maxTypeDepth bounds recursion; real types are a few levels deep.
const maxTypeDepth = 64

func (p *parser) typ(depth int) (Type, error) {
	if depth > maxTypeDepth {
		return Type{}, p.fail("nested deeper than %d", maxTypeDepth)
	}
	t, err := p.keyword(depth)
	if err != nil {
		return Type{}, err
	}
	t.NotNull = p.nullability()
	switch {
	case p.take("ARRAY"):
		t = ArrayOf(t)
		t.NotNull = p.nullability()
	case p.take("MULTISET"):
		t = MultisetOf(t)
		t.NotNull = p.nullability()
	}
	return t, nil
}

func (p *parser) keyword(depth int) (Type, error) {
	if p.at >= len(p.tokens) || p.tokens[p.at].kind != word {
		return Type{}, p.fail("a type name is missing")
	}
	name := strings.ToUpper(p.tokens[p.at].text)
	p.at++
	switch name {
	case "BOOLEAN":
		return Of(Boolean), nil
	case "TINYINT":
		return Of(TinyInt), nil
	case "SMALLINT":
		return Of(SmallInt), nil
	case "INT", "INTEGER":
		return Of(Int), nil
	case "BIGINT":
		return Of(BigInt), nil
	case "FLOAT":
		return Of(Float), nil
	case "DOUBLE":
		p.take("PRECISION")
		return Of(Double), nil
	case "DATE":
		return Of(Date), nil
	case "VARIANT":
		return Of(Variant), nil
	case "BLOB":
		return Of(Blob), nil
	case "STRING":
		return String(), nil
	case "BYTES":
		return Bytes(), nil
	case "CHAR":
		if p.take("VARYING") {
			return p.sized(VarChar)
		}
		return p.sized(Char)
	case "VARCHAR":
		return p.sized(VarChar)
	case "BINARY":
		if p.take("VARYING") {
			return p.sized(VarBinary)
		}
		return p.sized(Binary)
	case "VARBINARY":
		return p.sized(VarBinary)
	case "DECIMAL", "NUMERIC", "DEC":
		return p.decimal()
	case "TIME", "TIMESTAMP", "TIMESTAMP_LTZ":
		return p.temporal(name)
	case "GEOMETRY":
		return p.geo(Geometry)
	case "GEOGRAPHY":
		return p.geo(Geography)
	case "VECTOR":
		return p.vector(depth)
	}
	return Type{}, p.fail("unknown type %s", name)
}

func (p *parser) sized(k Kind) (Type, error) {
	n, err := p.param(1)
	return Type{Kind: k, Length: n}, err
}

func (p *parser) decimal() (Type, error) {
	t := Dec(10, 0)
	if !p.take("(") {
		return t, nil
	}
	var err error
	if t.Precision, err = p.number(); err != nil {
		return t, err
	}
	if p.take(",") {
		if t.Scale, err = p.number(); err != nil {
			return t, err
		}
	}
	if !p.take(")") {
		return t, p.fail("a closing parenthesis is missing")
	}
	return t, nil
}

func (p *parser) temporal(name string) (Type, error) {
	if name == "TIME" {
		n, err := p.param(0)
		p.take("WITHOUT", "TIME", "ZONE")
		return Type{Kind: Time, Precision: n}, err
	}
	n, err := p.param(6)
	if name == "TIMESTAMP_LTZ" || p.take("WITH", "LOCAL", "TIME", "ZONE") {
		return LTZOf(n), err
	}
	p.take("WITHOUT", "TIME", "ZONE")
	return TimestampOf(n), err
}

func (p *parser) vector(depth int) (Type, error) {
	if !p.take("<") {
		return Type{}, p.fail("VECTOR lacks its element")
	}
	elem, err := p.typ(depth + 1)
	if err != nil {
		return Type{}, err
	}
	if !p.take(",") {
		return Type{}, p.fail("VECTOR lacks its length")
	}
	n, err := p.number()
	if err != nil {
		return Type{}, err
	}
	if !p.take(">") {
		return Type{}, p.fail("VECTOR is not closed")
	}
	return Type{Kind: Vector, Elem: &elem, Length: n}, nil
}

func (p *parser) geo(k Kind) (Type, error) {
	t := Type{Kind: k, CRS: DefaultCRS}
	if k == Geography {
		t.Algo = DefaultAlgo
	}
	if !p.take("(") {
		return t, nil
	}
	var err error
	if t.CRS, err = p.geoParam(); err != nil {
		return t, err
	}
	if k == Geography && p.take(",") {
		if t.Algo, err = p.geoParam(); err != nil {
			return t, err
		}
		t.Algo = strings.ToLower(t.Algo)
	}
	if !p.take(")") {
		return t, p.fail("a closing parenthesis is missing")
	}
	return t, nil
}

func (p *parser) geoParam() (string, error) {
	if p.at < len(p.tokens) && (p.tokens[p.at].kind == word || p.tokens[p.at].kind == quoted) {
		p.at++
		return p.tokens[p.at-1].text, nil
	}
	return "", p.fail("a parameter is missing")
}
