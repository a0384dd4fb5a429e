package dialect

import "strings"

// alterTable reads ALTER TABLE [IF EXISTS] t action, …; the words ALTER TABLE
// are taken.
func (g *grammar) alterTable() (Statement, error) {
	s := &AlterTable{IfExists: g.accept("IF", "EXISTS")}
	var err error
	if s.Name, err = g.tableName(); err != nil {
		return nil, err
	}
	if g.accept("PARTITION") {
		return nil, unsupported(g.tokens[g.i-1].start, "ALTER TABLE … PARTITION")
	}
	for {
		before := g.i
		actions, err := g.alterAction()
		if err != nil {
			return nil, err
		}
		s.Actions = append(s.Actions, actions...)
		if g.i == before {
			return nil, g.errorf("expected a change of the table")
		}
		if !g.acceptOp(",") {
			s.Notes = g.notes
			return s, nil
		}
	}
}

func (g *grammar) alterAction() ([]AlterAction, error) {
	pos := g.pos()
	switch {
	case g.accept("SET"):
		g.accept("TBLPROPERTIES")
		set, err := g.properties()
		return one(&SetOptions{set}), err
	case g.peek("RESET"), g.peek("UNSET", "TBLPROPERTIES"):
		return g.resetOptions()
	case g.accept("ADD"):
		return g.alterAdd()
	case g.accept("DROP"):
		return g.alterDrop()
	case g.accept("MODIFY"):
		return g.modify()
	case g.accept("CHANGE"):
		g.accept("COLUMN")
		name, err := g.path()
		if err != nil {
			return nil, err
		}
		return g.modified(name)
	case g.accept("ALTER"):
		return g.alterColumn()
	case g.accept("RENAME"):
		return g.rename()
	case g.peek("CREATE"), g.peek("REPLACE"), g.peek("DELETE"):
		return g.alterTag()
	case g.accept("COMMENT"):
		g.acceptOp("=")
		c, err := g.str("a comment")
		return one(&SetComment{c}), err
	case g.accept("ENABLE", "KEYS"), g.accept("DISABLE", "KEYS"), g.accept("FORCE"):
		return one(&NoChange{strings.ToUpper(g.src[pos:g.tokens[g.i-1].end])}), nil
	case g.accept("ALGORITHM"), g.accept("LOCK"):
		g.acceptOp("=")
		if _, err := g.ident("a value"); err != nil {
			return nil, err
		}
		return one(&NoChange{g.src[pos:g.tokens[g.i-1].end]}), nil
	case g.accept("CONVERT", "TO"):
		return one(&NoChange{"CONVERT TO CHARACTER SET"}), g.charset()
	case g.peek("ORDER", "BY"), g.peek("PARTITION", "BY"), g.peek("RECOVER", "PARTITIONS"), g.peek("EXCHANGE", "PARTITION"):
		return nil, unsupported(pos, "ALTER TABLE … "+strings.ToUpper(g.src[pos:g.tokens[g.i+1].end]))
	}
	if g.tokens[g.i].kind != tWord {
		return nil, g.errorf("expected a change of the table")
	}
	if err := g.ignoredTableOption(); err != nil {
		return nil, err
	}
	return one(&NoChange{g.src[pos:g.tokens[g.i-1].end]}), nil
}

func one(a AlterAction) []AlterAction { return []AlterAction{a} }

func (g *grammar) resetOptions() ([]AlterAction, error) {
	a := &ResetOptions{}
	if !g.accept("RESET") {
		g.accept("UNSET", "TBLPROPERTIES")
		a.IfExists = g.accept("IF", "EXISTS")
	}
	var err error
	a.Keys, err = g.keys()
	return one(a), err
}

func (g *grammar) alterAdd() ([]AlterAction, error) {
	pos := g.pos()
	if g.accept("CONSTRAINT") {
		if _, named := g.name(g.i); named && !g.peek("PRIMARY") && !g.peek("UNIQUE") && !g.peek("FOREIGN") && !g.peek("CHECK") {
			g.i++
		}
	}
	switch {
	case g.peek("PRIMARY", "KEY"):
		return nil, unsupported(pos, "ADD PRIMARY KEY: the key of a table cannot change")
	case g.peek("UNIQUE"):
		return nil, unsupported(pos, "UNIQUE keys")
	case g.peek("FULLTEXT"), g.peek("SPATIAL"):
		return nil, unsupported(pos, strings.ToUpper(g.text(g.i))+" indexes")
	case g.peek("FOREIGN", "KEY"):
		return nil, unsupported(pos, "FOREIGN KEY")
	case g.peek("CHECK") && g.op(g.i+1, "("):
		return nil, unsupported(pos, "CHECK constraints")
	case g.peek("WATERMARK"):
		return nil, unsupported(pos, "WATERMARK")
	case (g.peek("KEY") || g.peek("INDEX")) && g.isIndex():
		g.i++
		ix, err := g.index()
		return one(&AddIndex{ix}), err
	case g.peek("PARTITION") && g.op(g.i+1, "("), g.peek("IF", "NOT", "EXISTS", "PARTITION"):
		a := &AddPartitions{IfNotExists: g.accept("IF", "NOT", "EXISTS")}
		var err error
		a.Partitions, err = g.partitions(false /* commas */)
		return one(a), err
	}
	if !g.accept("COLUMNS") {
		g.accept("COLUMN")
	}
	ifNotExists := g.accept("IF", "NOT", "EXISTS")
	list := g.acceptOp("(")
	var out []AlterAction
	for {
		c, err := g.column()
		if err != nil {
			return nil, err
		}
		p, _, err := g.position()
		if err != nil {
			return nil, err
		}
		out = append(out, &AddColumn{Column: c, Position: p, IfNotExists: ifNotExists})
		if !list {
			return out, nil
		}
		if g.acceptOp(")") {
			return out, nil
		}
		if !g.acceptOp(",") {
			return nil, g.errorf("expected ',' or ')'")
		}
	}
}

// partitions reads PARTITION (…) once or more, with commas between if Flink's
// form allows them.
func (g *grammar) partitions(commas bool) ([]Partition, error) {
	var out []Partition
	for {
		if err := g.expect("PARTITION"); err != nil {
			return nil, err
		}
		p, err := g.partition(false /* dynamic */)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		if g.accept("LOCATION") {
			return nil, unsupported(g.pos(), "PARTITION … LOCATION")
		}
		if g.op(g.i, ",") && g.is(g.i+1, "PARTITION") && commas {
			g.i++
		} else if !g.peek("PARTITION") {
			return out, nil
		}
	}
}

func (g *grammar) alterDrop() ([]AlterAction, error) {
	pos := g.pos()
	switch {
	case g.accept("PRIMARY", "KEY"):
		return one(&DropPrimaryKey{}), nil
	case g.peek("FOREIGN", "KEY"):
		return nil, unsupported(pos, "FOREIGN KEY")
	case g.peek("CONSTRAINT"), g.peek("CHECK"):
		return nil, unsupported(pos, "constraints")
	case g.accept("WATERMARK"):
		return nil, unsupported(pos, "WATERMARK")
	case g.peek("INDEX"), g.peek("KEY"):
		if _, named := g.name(g.i + 1); named {
			g.i++
			name, err := g.ident("an index name")
			return one(&DropIndex{name}), err
		}
	case g.peek("PARTITION") && g.op(g.i+1, "("), g.peek("IF", "EXISTS", "PARTITION"):
		a := &DropPartitions{IfExists: g.accept("IF", "EXISTS")}
		var err error
		a.Partitions, err = g.partitions(true /* commas */)
		g.accept("PURGE")
		return one(a), err
	}
	many := g.accept("COLUMNS")
	if !many {
		g.accept("COLUMN")
	}
	ifExists := g.accept("IF", "EXISTS")
	list := g.acceptOp("(")
	var out []AlterAction
	for {
		name, err := g.path()
		if err != nil {
			return nil, err
		}
		out = append(out, &DropColumn{Name: name, IfExists: ifExists})
		switch {
		case list && g.acceptOp(")"):
			return out, nil
		case list && !g.op(g.i, ","):
			return nil, g.errorf("expected ',' or ')'")
		case !list && !(many && g.op(g.i, ",")):
			if !g.accept("RESTRICT") {
				g.accept("CASCADE")
			}
			return out, nil
		}
		g.i++
	}
}

// modify reads MODIFY [COLUMN] col definition, and Flink's list in parentheses.
func (g *grammar) modify() ([]AlterAction, error) {
	if g.peek("PRIMARY", "KEY") || g.op(g.i, "(") && g.is(g.i+1, "PRIMARY") && g.is(g.i+2, "KEY") {
		return nil, unsupported(g.pos(), "MODIFY PRIMARY KEY: the key of a table cannot change")
	}
	g.accept("COLUMN")
	list := g.acceptOp("(")
	var out []AlterAction
	for {
		a, err := g.modified("")
		if err != nil {
			return nil, err
		}
		out = append(out, a...)
		switch {
		case !list, g.acceptOp(")"):
			return out, nil
		case !g.acceptOp(","):
			return nil, g.errorf("expected ',' or ')'")
		}
	}
}

// modified reads a column's new definition and place; without a name it keeps
// its own.
func (g *grammar) modified(name string) ([]AlterAction, error) {
	c, err := g.column()
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = c.Name
	}
	p, _, err := g.position()
	return one(&ModifyColumn{Name: name, Column: c, Position: p}), err
}

// alterColumn reads what follows ALTER: [COLUMN] name and its changes.
func (g *grammar) alterColumn() ([]AlterAction, error) {
	if g.peek("INDEX") || g.peek("CHECK") || g.peek("CONSTRAINT") {
		return nil, unsupported(g.pos(), "ALTER "+strings.ToUpper(g.text(g.i)))
	}
	g.accept("COLUMN")
	a := &AlterColumn{}
	var err error
	if a.Name, err = g.path(); err != nil {
		return nil, err
	}
	switch {
	case g.accept("SET", "DEFAULT"):
		a.SetDefault, err = g.defaultValue()
	case g.accept("DROP", "DEFAULT"):
		a.DropDefault = true
	case g.accept("SET", "NOT", "NULL"):
		a.SetNotNull = true
	case g.accept("DROP", "NOT", "NULL"):
		a.DropNotNull = true
	case g.accept("TYPE"), g.accept("SET", "DATA", "TYPE"):
		t, terr := g.typ("column " + a.Name)
		a.Type, err = &t, terr
	case g.accept("COMMENT"):
		c, cerr := g.str("a comment")
		a.Comment, err = &c, cerr
	case g.peek("FIRST"), g.peek("AFTER"):
		p, _, perr := g.position()
		a.Position, err = &p, perr
	default:
		return nil, g.errorf("expected SET DEFAULT, DROP DEFAULT, TYPE, COMMENT, FIRST, AFTER, SET NOT NULL or DROP NOT NULL")
	}
	return one(a), err
}

// rename reads RENAME's forms: of the table, of a column, of a tag.
func (g *grammar) rename() ([]AlterAction, error) {
	pos := g.pos()
	if g.accept("TO") || g.accept("AS") || g.acceptOp("=") {
		n, err := g.tableName()
		return one(&RenameTable{n}), err
	}
	if (g.peek("INDEX") || g.peek("KEY")) && !g.is(g.i+1, "TO") {
		return nil, unsupported(pos, "RENAME INDEX")
	}
	tag := g.peek("TAG") && !g.is(g.i+1, "TO")
	if tag {
		g.i++
		from, to, err := g.tagNames()
		return one(&RenameTag{from, to}), err
	}
	g.accept("COLUMN")
	from, err := g.path()
	if err != nil {
		return nil, err
	}
	if !g.accept("TO") {
		if g.atEnd() || g.op(g.i, ",") { // MySQL: RENAME new_name
			return one(&RenameTable{TableName{Table: from, Pos: pos}}), nil
		}
		return nil, g.errorf("expected TO")
	}
	to, err := g.ident("a column name")
	return one(&RenameColumn{from, to}), err
}

func (g *grammar) tagNames() (from, to string, err error) {
	if from, err = g.tag(); err != nil {
		return "", "", err
	}
	if err = g.expect("TO"); err != nil {
		return "", "", err
	}
	to, err = g.tag()
	return from, to, err
}

// tag reads the name of a tag: a name or a string.
func (g *grammar) tag() (string, error) {
	if g.isString(g.i) {
		return g.str("a tag")
	}
	return g.ident("the name of a tag")
}

// alterTag reads Spark's CREATE, REPLACE and DELETE TAG.
func (g *grammar) alterTag() ([]AlterAction, error) {
	if g.accept("DELETE") {
		if err := g.expect("TAG"); err != nil {
			return nil, err
		}
		a := &DeleteTag{IfExists: g.accept("IF", "EXISTS")}
		var err error
		a.Tag, err = g.tag()
		return one(a), err
	}
	a := &CreateTag{}
	switch {
	case g.accept("CREATE", "OR", "REPLACE"):
		a.Create, a.Replace = true, true
	case g.accept("CREATE"):
		a.Create = true
	default:
		g.i++
		a.Replace = true
	}
	if err := g.expect("TAG"); err != nil {
		return nil, err
	}
	a.IfNotExists = g.accept("IF", "NOT", "EXISTS")
	var err error
	if a.Tag, err = g.tag(); err != nil {
		return nil, err
	}
	if g.accept("AS", "OF", "VERSION") {
		if a.Snapshot, err = g.optionValue(); err != nil {
			return nil, err
		}
	}
	if g.accept("RETAIN") {
		n, err := g.optionValue()
		if err != nil {
			return nil, err
		}
		unit, err := g.ident("DAYS, HOURS or MINUTES")
		if err != nil {
			return nil, err
		}
		a.Retain = n + " " + strings.ToLower(unit)
	}
	return one(a), nil
}

// createIndex reads CREATE [UNIQUE|FULLTEXT|SPATIAL] INDEX i ON t (…).
func (g *grammar) createIndex() (Statement, error) {
	g.i = 1
	if !g.peek("INDEX") {
		feature := strings.ToUpper(g.text(g.i)) + " indexes"
		if g.peek("UNIQUE") {
			feature = "UNIQUE keys"
		}
		return nil, unsupported(g.pos(), feature)
	}
	g.i++
	ix := Index{Pos: g.pos()}
	var err error
	if ix.Name, err = g.ident("an index name"); err != nil {
		return nil, err
	}
	if err = g.indexMethod(); err != nil {
		return nil, err
	}
	if err = g.expect("ON"); err != nil {
		return nil, err
	}
	s := &AlterTable{}
	if s.Name, err = g.tableName(); err != nil {
		return nil, err
	}
	name := ix.Name
	if ix, err = g.index(); err != nil {
		return nil, err
	}
	ix.Name = name
	g.alterHow()
	s.Actions, s.Notes = one(&AddIndex{ix}), g.notes
	return s, nil
}

// dropIndex reads DROP INDEX i ON t.
func (g *grammar) dropIndex() (Statement, error) {
	g.i = 2
	name, err := g.ident("an index name")
	if err != nil {
		return nil, err
	}
	if err := g.expect("ON"); err != nil {
		return nil, err
	}
	s := &AlterTable{Actions: one(&DropIndex{name})}
	if s.Name, err = g.tableName(); err != nil {
		return nil, err
	}
	g.alterHow()
	return s, nil
}

// alterHow takes ALGORITHM = x and LOCK = x.
func (g *grammar) alterHow() {
	for g.accept("ALGORITHM") || g.accept("LOCK") {
		g.acceptOp("=")
		g.skip()
	}
}
