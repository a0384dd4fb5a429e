package dialect

// merge reads MERGE INTO t USING s ON c WHEN …; expressions stay text.
func (g *grammar) merge() (Statement, error) {
	g.i = 1
	if err := g.expect("INTO"); err != nil {
		return nil, err
	}
	s := &MergeInto{}
	var err error
	if s.Target, err = g.tableName(); err != nil {
		return nil, err
	}
	if s.Options, err = g.hint(); err != nil {
		return nil, err
	}
	if g.accept("AS") || !g.peek("USING") {
		if s.TargetAlias, err = g.ident("an alias or USING"); err != nil {
			return nil, err
		}
	}
	if s.Options == nil {
		if s.Options, err = g.hint(); err != nil {
			return nil, err
		}
	}
	if err := g.expect("USING"); err != nil {
		return nil, err
	}
	if err := g.mergeSource(s); err != nil {
		return nil, err
	}
	if err := g.expect("ON"); err != nil {
		return nil, err
	}
	if s.On = g.balanced(func() bool { return g.peek("WHEN") && g.isMergeWhen() }); s.On.SQL == "" {
		return nil, g.errorf("expected a condition")
	}
	for g.accept("WHEN") {
		c, err := g.mergeClause()
		if err != nil {
			return nil, err
		}
		s.Clauses = append(s.Clauses, c)
	}
	if len(s.Clauses) == 0 {
		return nil, g.errorf("expected WHEN MATCHED or WHEN NOT MATCHED")
	}
	return s, nil
}

func (g *grammar) isMergeWhen() bool {
	return g.is(g.i+1, "MATCHED") || g.is(g.i+1, "NOT") && g.is(g.i+2, "MATCHED")
}

// mergeSource reads a table reference or a query in parentheses up to ON.
func (g *grammar) mergeSource(s *MergeInto) error {
	first := g.i
	s.Source = g.balanced(func() bool { return g.peek("ON") })
	if s.Source.SQL == "" {
		return g.errorf("expected a table or a query")
	}
	last := g.i - 1
	alias, named := g.name(last)
	if last == first || !named || g.op(last-1, ".") {
		return nil
	}
	s.SourceAlias = alias
	if last--; g.is(last, "AS") && last > first {
		last--
	}
	s.Source.SQL = g.src[s.Source.Pos:g.tokens[last].end]
	return nil
}

func (g *grammar) mergeClause() (MergeClause, error) {
	c := MergeClause{Pos: g.tokens[g.i-1].start}
	c.Matched = !g.accept("NOT")
	if err := g.expect("MATCHED"); err != nil {
		return c, err
	}
	if g.accept("BY") {
		c.BySource = g.accept("SOURCE")
		if !c.BySource && !g.accept("TARGET") || c.Matched {
			return c, g.errorf("expected AND or THEN")
		}
	}
	if g.accept("AND") {
		t := g.balanced(func() bool { return g.peek("THEN") && g.isMergeThen() })
		if t.SQL == "" {
			return c, g.errorf("expected a condition")
		}
		c.Condition = &t
	}
	if err := g.expect("THEN"); err != nil {
		return c, err
	}
	insert := !c.Matched && !c.BySource
	switch {
	case insert && g.accept("INSERT"):
		c.Insert = true
		return c, g.mergeInsert(&c)
	case !insert && g.accept("DELETE"):
		c.Delete = true
		return c, nil
	case !insert && g.accept("UPDATE"):
		c.Update = true
		if err := g.expect("SET"); err != nil {
			return c, err
		}
		if c.All = g.acceptOp("*"); c.All {
			return c, nil
		}
		var err error
		c.Assignments, err = g.assignments(func() bool { return g.op(g.i, ",") || g.peek("WHEN") && g.isMergeWhen() })
		return c, err
	case insert:
		return c, g.errorf("expected INSERT")
	}
	return c, g.errorf("expected UPDATE or DELETE")
}

// isMergeThen tells the THEN of a clause from that of a CASE.
func (g *grammar) isMergeThen() bool {
	return g.is(g.i+1, "UPDATE") || g.is(g.i+1, "DELETE") || g.is(g.i+1, "INSERT") && !g.op(g.i+2, ",")
}

func (g *grammar) mergeInsert(c *MergeClause) error {
	if c.All = g.acceptOp("*"); c.All {
		return nil
	}
	if g.op(g.i, "(") {
		g.i++
		for {
			name, err := g.path()
			if err != nil {
				return err
			}
			c.Columns = append(c.Columns, name)
			if g.acceptOp(")") {
				break
			}
			if !g.acceptOp(",") {
				return g.errorf("expected ',' or ')'")
			}
		}
	}
	if err := g.expect("VALUES"); err != nil {
		return err
	}
	if err := g.expectOp("("); err != nil {
		return err
	}
	for {
		v := g.balanced(func() bool { return g.op(g.i, ",") })
		if v.SQL == "" {
			return g.errorf("expected a value")
		}
		c.Values = append(c.Values, v)
		if g.acceptOp(")") {
			break
		}
		if !g.acceptOp(",") {
			return g.errorf("expected ',' or ')'")
		}
	}
	if c.Columns != nil && len(c.Columns) != len(c.Values) {
		return g.errorAt(c.Values[0].Pos, "the numbers of columns and values differ")
	}
	return nil
}

// assignments reads column = expression, …, each expression up to end.
func (g *grammar) assignments(end func() bool) ([]Assignment, error) {
	var out []Assignment
	for {
		var a Assignment
		var err error
		if a.Column, err = g.path(); err != nil {
			return nil, err
		}
		if err := g.expectOp("="); err != nil {
			return nil, err
		}
		if a.Value = g.balanced(end); a.Value.SQL == "" {
			return nil, g.errorf("expected a value")
		}
		out = append(out, a)
		if !g.acceptOp(",") {
			return out, nil
		}
	}
}
