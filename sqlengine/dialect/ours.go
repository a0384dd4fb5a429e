package dialect

import "strings"

// ours reads the statement if its first words make it one of ours; it returns
// nil for one that goes to the host's parser.
func (g *grammar) ours() (Statement, error) {
	stmt, err := g.dispatch()
	if stmt == nil || err != nil {
		return nil, err
	}
	return stmt, g.finish()
}

func (g *grammar) dispatch() (Statement, error) {
	if g.tokens[0].kind != tWord {
		return nil, nil
	}
	if what := g.accounts(); what != "" {
		return nil, unsupported(g.tokens[0].start, what+": there are no accounts")
	}
	if what := g.absent(); what != "" {
		return nil, unsupported(g.tokens[0].start, what)
	}
	switch strings.ToUpper(g.text(0)) {
	case "CREATE":
		return g.create()
	case "ALTER":
		return g.alter()
	case "DROP":
		return g.drop()
	case "MERGE":
		return g.merge()
	case "LOAD":
		if g.is(1, "DATA") {
			return g.load()
		}
	case "CALL":
		return g.call()
	case "SET":
		return g.set()
	case "RESET":
		return g.reset()
	case "SHOW":
		return g.show()
	case "USE":
		return g.use()
	case "ANALYZE":
		return g.analyze()
	case "CHECK":
		return g.check()
	case "OPTIMIZE":
		return g.optimize()
	case "REPAIR":
		return g.repair()
	case "CHECKSUM":
		return g.checksum()
	case "RENAME":
		return g.renameTables()
	case "TRUNCATE":
		return g.truncate()
	case "STOP":
		return g.stop()
	case "EXPLAIN", "DESCRIBE", "DESC":
		return g.explain()
	case "XA":
		return nil, unsupported(g.tokens[0].start, "XA transactions")
	}
	return nil, nil
}

// accounts names the statement if it is one about accounts and roles.
func (g *grammar) accounts() string {
	word := strings.ToUpper(g.text(0))
	switch word {
	case "GRANT", "REVOKE":
		return word
	case "CREATE", "ALTER", "DROP", "RENAME":
		for _, what := range []string{"USER", "ROLE"} {
			if g.is(1, what) {
				return word + " " + what
			}
		}
	case "SET":
		if g.is(1, "ROLE") || g.is(1, "DEFAULT") && g.is(2, "ROLE") {
			return "SET ROLE"
		}
	}
	return ""
}

func (g *grammar) alter() (Statement, error) {
	switch {
	case g.is(1, "TABLE"):
		g.i = 2
		return g.alterTable()
	case g.is(1, "DATABASE"), g.is(1, "SCHEMA"):
		return g.alterDatabase()
	}
	return nil, nil
}

func (g *grammar) drop() (Statement, error) {
	switch {
	case g.is(1, "CATALOG"):
		return g.dropCatalog()
	case g.is(1, "INDEX"):
		return g.dropIndex()
	case g.is(1, "DATABASE"), g.is(1, "SCHEMA"):
		return g.dropDatabase()
	}
	return nil, nil
}

// dropDatabase reads DROP DATABASE [IF EXISTS] d [RESTRICT | CASCADE].
func (g *grammar) dropDatabase() (Statement, error) {
	g.i = 2
	s := &DropDatabase{}
	if g.accept("IF") {
		s.IfExists = true
		if err := g.expect("EXISTS"); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Name, err = g.ident("the name of a database"); err != nil {
		return nil, err
	}
	if s.Restrict = g.accept("RESTRICT"); !s.Restrict {
		g.accept("CASCADE")
	}
	return s, nil
}

func (g *grammar) create() (Statement, error) {
	i := 1
	if g.is(i, "OR") && g.is(i+1, "REPLACE") {
		i += 2
	}
	if g.is(i, "TEMPORARY") || g.is(i, "EXTERNAL") {
		i++
	}
	switch {
	case g.is(i, "TABLE"):
		g.i = 1
		return g.createTable()
	case g.is(1, "CATALOG"):
		return g.createCatalog()
	case g.is(1, "INDEX"), (g.is(1, "UNIQUE") || g.is(1, "FULLTEXT") || g.is(1, "SPATIAL")) && g.is(2, "INDEX"):
		return g.createIndex()
	case g.is(1, "TRIGGER"), g.is(1, "DEFINER") && g.createsTrigger():
		return nil, unsupported(g.tokens[0].start, "triggers")
	case g.is(1, "FUNCTION"), g.is(1, "AGGREGATE") && g.is(2, "FUNCTION"):
		return nil, unsupported(g.tokens[0].start, "CREATE FUNCTION")
	}
	return nil, nil
}

// createsTrigger looks behind DEFINER = user for the word TRIGGER.
func (g *grammar) createsTrigger() bool {
	for i := 2; i < 10; i++ {
		if g.is(i, "TRIGGER") {
			return true
		}
	}
	return false
}

// call reads CALL [catalog.]sys.name(args). Other procedures are the host's.
func (g *grammar) call() (Statement, error) {
	g.i = 1
	n, err := g.tableName()
	if err != nil || !strings.EqualFold(n.Database, "sys") {
		g.i = 0
		return nil, nil
	}
	c := &Call{Catalog: n.Catalog, Name: strings.ToLower(n.Table), Pos: n.Pos}
	if err := g.expectOp("("); err != nil {
		return nil, err
	}
	for !g.acceptOp(")") {
		if len(c.Args) > 0 {
			if err := g.expectOp(","); err != nil {
				return nil, err
			}
		}
		if err := g.argument(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (g *grammar) argument(c *Call) error {
	var a Arg
	pos := g.pos()
	if name, ok := g.name(g.i); ok && (g.op(g.i+1, "=>") || g.op(g.i+1, ":=")) {
		a.Name = strings.ToLower(name)
		g.i += 2
		for _, o := range c.Args {
			if o.Name == a.Name {
				return g.errorAt(pos, "argument "+a.Name+" is given twice")
			}
		}
	} else if len(c.Args) > 0 && c.Args[len(c.Args)-1].Name != "" {
		return g.errorAt(pos, "positional arguments come before named ones;")
	}
	if a.Text = g.balanced(func() bool { return g.op(g.i, ",") }); a.Text.SQL == "" || g.op(g.i-1, ",") {
		return g.errorf("expected a value")
	}
	c.Args = append(c.Args, a)
	return nil
}

// set reads SET 'key' = value and SET dotted.key = value.
func (g *grammar) set() (Statement, error) {
	g.i = 1
	if g.is(1, "PASSWORD") && (g.op(2, "=") || g.is(2, "FOR") || g.is(2, "TO")) {
		return nil, unsupported(g.tokens[0].start, "SET PASSWORD")
	}
	s := &SetOption{Pos: g.pos()}
	if !g.isString(1) {
		if g.tokens[1].kind != tWord || g.tokens[2].start != g.tokens[1].end || !g.op(2, ".") && !g.op(2, "-") {
			return nil, nil
		}
		switch strings.ToUpper(g.text(1)) {
		case "NEW", "OLD", "GLOBAL", "SESSION", "LOCAL", "PERSIST":
			return nil, nil
		}
	}
	var err error
	if s.Key, err = g.optionKey(); err != nil {
		return nil, err
	}
	if !g.acceptOp(":=") {
		if err := g.expectOp("="); err != nil {
			return nil, err
		}
	}
	if g.isString(g.i) {
		s.Value, err = g.str("a value")
		return s, err
	}
	// Without quotes, all that is left: 10 s, file:/x, streaming.
	v := g.balanced(func() bool { return false })
	if s.Value = v.SQL; v.SQL == "" {
		return nil, g.errorf("expected a value")
	}
	return s, nil
}

// reset reads RESET and RESET 'key'. RESET MASTER and its kin are the host's.
func (g *grammar) reset() (Statement, error) {
	g.i = 1
	s := &ResetOption{Pos: g.pos()}
	switch {
	case g.atEnd():
		return s, nil
	case g.isString(1), g.tokens[1].kind == tWord && (g.op(2, ".") || g.op(2, "-")):
		var err error
		s.Key, err = g.optionKey()
		return s, err
	}
	return nil, nil
}
