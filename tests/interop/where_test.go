package interop

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// whereParser reads the conditions of the fixtures: comparisons of a column with
// literals, IN, BETWEEN, LIKE and IS NULL under AND, OR, NOT and parentheses.
type whereParser struct {
	fields []types.Field
	tokens []string
	at     int
}

var whereToken = regexp.MustCompile(`'(?:[^']|'')*'|<>|<=|>=|[=<>(),]|[^\s=<>(),']+`)

func parseWhere(fields []types.Field, text string) (*predicate.Node, error) {
	p := &whereParser{fields: fields, tokens: whereToken.FindAllString(text, -1)}
	n, err := p.or()
	if err == nil && p.at < len(p.tokens) {
		err = fmt.Errorf("what is %q?", p.tokens[p.at])
	}
	if err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	return n, nil
}

func (p *whereParser) peek() string {
	if p.at == len(p.tokens) {
		return ""
	}
	return strings.ToUpper(p.tokens[p.at])
}

func (p *whereParser) take(word string) bool {
	if p.peek() != word {
		return false
	}
	p.at++
	return true
}

func (p *whereParser) next() string {
	if p.at == len(p.tokens) {
		return ""
	}
	p.at++
	return p.tokens[p.at-1]
}

func (p *whereParser) expect(word string) error {
	if !p.take(word) {
		return fmt.Errorf("want %s, found %q", word, p.peek())
	}
	return nil
}

func (p *whereParser) or() (*predicate.Node, error) {
	n, err := p.and()
	for err == nil && p.take("OR") {
		var m *predicate.Node
		if m, err = p.and(); err == nil {
			n = predicate.Or(n, m)
		}
	}
	return n, err
}

func (p *whereParser) and() (*predicate.Node, error) {
	n, err := p.not()
	for err == nil && p.take("AND") {
		var m *predicate.Node
		if m, err = p.not(); err == nil {
			n = predicate.And(n, m)
		}
	}
	return n, err
}

func (p *whereParser) not() (*predicate.Node, error) {
	if p.take("NOT") {
		n, err := p.not()
		if err != nil {
			return nil, err
		}
		n, ok := n.Negate()
		if !ok {
			return nil, fmt.Errorf("cannot negate")
		}
		return n, nil
	}
	if p.take("(") {
		n, err := p.or()
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	}
	return p.test()
}

func (p *whereParser) test() (*predicate.Node, error) {
	name := p.next()
	c := schema.FieldIndex(p.fields, name)
	if c < 0 {
		return nil, fmt.Errorf("no column %q", name)
	}
	t := p.fields[c].Type
	switch op := strings.ToUpper(p.next()); op {
	case "IS":
		if p.take("NOT") {
			return predicate.IsNotNull(c, t), p.expect("NULL")
		}
		return predicate.IsNull(c, t), p.expect("NULL")
	case "IN":
		if err := p.expect("("); err != nil {
			return nil, err
		}
		var vals []columnar.Value
		for {
			v, err := p.value(t)
			if err != nil {
				return nil, err
			}
			vals = append(vals, v)
			if !p.take(",") {
				return predicate.In(c, t, vals...), p.expect(")")
			}
		}
	case "BETWEEN":
		low, err := p.value(t)
		if err == nil {
			err = p.expect("AND")
		}
		if err != nil {
			return nil, err
		}
		high, err := p.value(t)
		return predicate.Between(c, t, low, high), err
	case "LIKE":
		v, err := p.value(t)
		return predicate.Like(c, t, v.S), err
	default:
		ops := map[string]predicate.Op{"=": predicate.OpEq, "<>": predicate.OpNotEq, "<": predicate.OpLt,
			"<=": predicate.OpLe, ">": predicate.OpGt, ">=": predicate.OpGe}
		kind, ok := ops[op]
		if !ok {
			return nil, fmt.Errorf("no operator %q", op)
		}
		v, err := p.value(t)
		return predicate.Compare(kind, c, t, v), err
	}
}

func (p *whereParser) value(t types.Type) (columnar.Value, error) {
	text := p.next()
	if inner, ok := strings.CutPrefix(text, "'"); ok {
		text = strings.ReplaceAll(strings.TrimSuffix(inner, "'"), "''", "'")
	}
	return schema.ParseValue(t, text)
}

func TestWhere(t *testing.T) {
	fields := []types.Field{{Name: "a", Type: types.Of(types.Int)}, {Name: "b", Type: types.String()}}
	for text, want := range map[string]string{
		"a = 3 AND b = 'it''s'":           "a = 3 AND b = 'it''s'",
		"NOT (a > 2) OR b IS NOT NULL":    "a <= 2 OR b IS NOT NULL",
		"a BETWEEN -1 AND 2 AND b <> ''":  "a >= -1 AND a <= 2 AND b <> ''",
		"b LIKE 'x %' OR a IN (1, 2, -3)": "b LIKE 'x %' OR a IN (1, 2, -3)",
	} {
		n, err := parseWhere(fields, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := n.Format(func(c int) string { return fields[c].Name }); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "a", "a = ", "c = 1", "a = x", "(a = 1", "a = 1 b = 'x'", "a IS 1"} {
		if n, err := parseWhere(fields, text); err == nil {
			t.Errorf("%q is taken: %v", text, n)
		}
	}
}
