package dialect

import (
	"strconv"
	"strings"
)

// load reads LOAD DATA [LOCAL] INFILE.
func (g *grammar) load() (Statement, error) {
	g.i = 2
	s := &LoadData{Format: LoadFormat{Terminated: "\t", Escaped: `\`, LineTerminated: "\n"}}
	if !g.accept("LOW_PRIORITY") {
		g.accept("CONCURRENT")
	}
	s.Local = g.accept("LOCAL")
	if err := g.expect("INFILE"); err != nil {
		return nil, err
	}
	var err error
	if s.File, err = g.str("a file name"); err != nil {
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
		name, err := g.ident("a character set")
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

func (g *grammar) loadFormat(f *LoadFormat) error {
	var err error
	if g.accept("FIELDS") || g.accept("COLUMNS") {
		for more := true; more && err == nil; {
			switch {
			case g.accept("TERMINATED", "BY"):
				f.Terminated, err = g.str("a separator")
			case g.accept("OPTIONALLY", "ENCLOSED", "BY"):
				f.OptionallyEnclosed = true
				f.Enclosed, err = g.oneByte()
			case g.accept("ENCLOSED", "BY"):
				f.Enclosed, err = g.oneByte()
			case g.accept("ESCAPED", "BY"):
				f.Escaped, err = g.oneByte()
			default:
				more = false
			}
		}
	}
	if err == nil && g.accept("LINES") {
		for more := true; more && err == nil; {
			switch {
			case g.accept("STARTING", "BY"):
				f.LineStarting, err = g.str("a prefix")
			case g.accept("TERMINATED", "BY"):
				f.LineTerminated, err = g.str("a separator")
			default:
				more = false
			}
		}
	}
	return err
}

func (g *grammar) oneByte() (string, error) {
	pos := g.pos()
	s, err := g.str("a character")
	if err == nil && len(s) > 1 {
		return "", g.errorAt(pos, "expected at most one character")
	}
	return s, err
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
	if g.accept("SET") {
		var err error
		s.Assign, err = g.assignments(func() bool { return g.op(g.i, ",") })
		return err
	}
	return nil
}
