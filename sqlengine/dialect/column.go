package dialect

import (
	"slices"
	"strconv"
	"strings"
)

// column reads name type attributes.
func (g *grammar) column() (ColumnDef, error) {
	c := ColumnDef{Pos: g.pos()}
	var err error
	if c.Name, err = g.path(); err != nil {
		return c, err
	}
	if g.peek("AS") {
		return c, unsupported(g.pos(), "computed columns ("+c.Name+")")
	}
	if c.Type, err = g.typ("column " + c.Name); err != nil {
		return c, err
	}
	return c, g.columnAttributes(&c)
}

// refusedAttributes are column attributes that are refused by name.
var refusedAttributes = map[string]string{
	"AUTO_INCREMENT": "AUTO_INCREMENT",
	"UNIQUE":         "UNIQUE keys",
	"GENERATED":      "generated columns",
	"AS":             "generated columns",
	"REFERENCES":     "FOREIGN KEY",
	"CHECK":          "CHECK constraints",
	"METADATA":       "METADATA columns",
	"SRID":           "GEOMETRY",
}

func (g *grammar) columnAttributes(c *ColumnDef) error {
	for g.tokens[g.i].kind == tWord {
		pos := g.pos()
		if feature, refused := refusedAttributes[strings.ToUpper(g.text(g.i))]; refused {
			return unsupported(pos, feature+" (column "+c.Name+")")
		}
		switch {
		case g.accept("NOT", "NULL"):
			c.Type.NotNull = true
		case g.accept("NULL"):
		case g.accept("DEFAULT"):
			d, err := g.defaultValue()
			if err != nil {
				return err
			}
			c.Default = d
		case g.peek("ON", "UPDATE"):
			return unsupported(pos, "ON UPDATE (column "+c.Name+")")
		case g.accept("PRIMARY"):
			if err := g.expect("KEY"); err != nil {
				return err
			}
			if !g.accept("NOT", "ENFORCED") {
				g.accept("ENFORCED")
			}
			c.PrimaryKey, c.Type.NotNull = true, true
		case g.accept("KEY"):
			c.PrimaryKey, c.Type.NotNull = true, true
		case g.accept("COMMENT"):
			s, err := g.str("a comment")
			if err != nil {
				return err
			}
			c.Comment, c.HasComment = s, true
		case g.peek("COLLATE"), g.peek("CHARACTER", "SET"), g.peek("CHARSET"):
			if err := g.charset(); err != nil {
				return err
			}
		case g.accept("CONSTRAINT"):
			if _, err := g.ident("a constraint name"); err != nil {
				return err
			}
		case g.accept("COLUMN_FORMAT"), g.accept("STORAGE"):
			g.skip()
		case g.accept("VISIBLE"), g.accept("ENGINE_ATTRIBUTE"), g.accept("SECONDARY_ENGINE_ATTRIBUTE"):
			if g.acceptOp("=") {
				g.skip()
			}
		case g.peek("INVISIBLE"):
			return unsupported(pos, "INVISIBLE columns ("+c.Name+")")
		default:
			return nil
		}
	}
	return nil
}

// endsDefault reports whether a column attribute or clause begins at token i.
func (g *grammar) endsDefault() bool {
	if g.op(g.i, ",") || g.isString(g.i) {
		return true
	}
	for _, w := range []string{
		"NOT", "NULL", "COMMENT", "PRIMARY", "KEY", "UNIQUE", "ON", "AUTO_INCREMENT", "COLLATE", "FIRST",
		"AFTER", "REFERENCES", "CHECK", "CONSTRAINT", "CHARACTER", "VISIBLE", "INVISIBLE", "GENERATED", "STORAGE", "COLUMN_FORMAT",
	} {
		if g.peek(w) {
			return true
		}
	}
	return false
}

// defaultValue reads what follows DEFAULT: a literal or an expression.
func (g *grammar) defaultValue() (*Default, error) {
	first := g.i
	d := &Default{}
	switch {
	case g.isString(g.i):
		d.IsText = true
		d.Literal, _ = g.str("a value")
	case g.tokens[g.i].kind == tWord && g.isString(g.i+1) && g.tokens[g.i].end == g.tokens[g.i+1].start:
		if err := g.markedLiteral(d); err != nil {
			return nil, err
		}
	case g.accept("NULL"):
		d.Null = true
	case g.peek("TRUE"), g.peek("FALSE"):
		d.Literal = strings.ToLower(g.text(g.i))
		g.i++
	case (g.peek("DATE") || g.peek("TIMESTAMP") || g.peek("TIME")) && g.isString(g.i+1):
		g.i++
		d.IsText = true
		d.Literal, _ = g.str("a value")
	case g.tokens[g.i].kind == tNumber, (g.op(g.i, "-") || g.op(g.i, "+")) && g.tokens[g.i+1].kind == tNumber:
		if g.op(g.i, "-") {
			d.Literal = "-"
		}
		if g.tokens[g.i].kind != tNumber {
			g.i++
		}
		d.Literal += g.text(g.i)
		g.i++
	default:
		d.Expr = true
		if d.Text = g.balanced(g.endsDefault); d.Text.SQL == "" {
			return nil, g.errorf("expected a value")
		}
		return d, nil
	}
	d.Text = Text{SQL: g.src[g.tokens[first].start:g.tokens[g.i-1].end], Pos: g.tokens[first].start}
	return d, nil
}

// markedLiteral reads a literal with a mark before its quote: b'0', n'text' and
// _utf8mb4'text'. Bits become a number.
func (g *grammar) markedLiteral(d *Default) error {
	mark := strings.ToUpper(g.text(g.i))
	pos := g.pos()
	g.i++
	s, err := g.str("a value")
	switch {
	case err != nil:
		return err
	case mark == "N", strings.HasPrefix(mark, "_"):
		d.IsText, d.Literal = true, s
		return nil
	case mark == "B":
		n, err := strconv.ParseUint(s, 2, 64)
		if err != nil {
			return g.errorAt(pos, "expected bits")
		}
		d.Literal = strconv.FormatUint(n, 10)
		return nil
	}
	return unsupported(pos, "a default of the form "+mark+"'…'")
}

// columnTypes reads (name type, …), behind COLUMNS: the types of columns for which
// SHOW CREATE TABLE prints the nearest one of MySQL's.
func (g *grammar) columnTypes(s *CreateTable) error {
	if err := g.expectOp("("); err != nil {
		return err
	}
	for {
		pos := g.pos()
		name, err := g.ident("a column name")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(s.Columns, func(c ColumnDef) bool { return c.Name == name })
		if i < 0 {
			return g.errorAt(pos, "the table has no column '"+name+"'")
		}
		t, err := g.elem("column " + name)
		if err != nil {
			return err
		}
		s.Columns[i].Type = t.WithNotNull(s.Columns[i].Type.NotNull || t.NotNull)
		if g.acceptOp(")") {
			return nil
		}
		if !g.acceptOp(",") {
			return g.errorf("expected ',' or ')'")
		}
	}
}

// position reads FIRST or AFTER col, if one stands here.
func (g *grammar) position() (p ColumnPosition, given bool, err error) {
	switch {
	case g.accept("FIRST"):
		return ColumnPosition{First: true}, true, nil
	case g.accept("AFTER"):
		p.After, err = g.path()
		return p, true, err
	}
	return p, false, nil
}
