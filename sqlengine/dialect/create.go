package dialect

import (
	"fmt"
	"strings"

	"github.com/lakesql/lakesql/hints"
)

// createTable reads CREATE [OR REPLACE] [EXTERNAL] TABLE …, from the word after
// CREATE on.
func (g *grammar) createTable() (Statement, error) {
	s := &CreateTable{}
	if g.accept("OR", "REPLACE") {
		s.OrReplace = true
	}
	if g.peek("TEMPORARY") || g.peek("EXTERNAL") {
		return nil, unsupported(g.pos(), strings.ToUpper(g.text(g.i))+" tables")
	}
	if err := g.expect("TABLE"); err != nil {
		return nil, err
	}
	s.IfNotExists = g.accept("IF", "NOT", "EXISTS")
	var err error
	if s.Name, err = g.tableName(); err != nil {
		return nil, err
	}
	switch {
	case g.op(g.i, "(") && g.is(g.i+1, "LIKE"):
		g.i++
		if err := g.like(s); err != nil {
			return nil, err
		}
		if err := g.expectOp(")"); err != nil {
			return nil, err
		}
	case g.op(g.i, "(") && !g.startsQuery(g.i+1):
		if err := g.tableElements(s); err != nil {
			return nil, err
		}
	}
	if err := g.tableClauses(s); err != nil {
		return nil, err
	}
	if err := g.finish(); err != nil {
		return nil, err
	}
	if len(s.Columns) == 0 && s.Like == nil && s.AsSelect == nil {
		return nil, g.errorf("expected a list of columns, LIKE or AS SELECT")
	}
	if err := g.checkCreate(s); err != nil {
		return nil, err
	}
	s.Notes = g.notes
	return s, nil
}

// startsQuery reports whether a query begins at token i, behind any '('.
func (g *grammar) startsQuery(i int) bool {
	for g.op(i, "(") {
		i++
	}
	return g.is(i, "SELECT") || g.is(i, "WITH") && !g.op(i+1, "(") || g.is(i, "VALUES") || g.is(i, "TABLE")
}

func (g *grammar) tableElements(s *CreateTable) error {
	if err := g.expectOp("("); err != nil {
		return err
	}
	for {
		if err := g.tableElement(s); err != nil {
			return err
		}
		if g.acceptOp(")") {
			return nil
		}
		if !g.acceptOp(",") {
			return g.errorf("expected ',' or ')'")
		}
	}
}

func (g *grammar) tableElement(s *CreateTable) error {
	pos := g.pos()
	if g.accept("CONSTRAINT") && !g.peek("PRIMARY") && !g.peek("UNIQUE") && !g.peek("FOREIGN") && !g.peek("CHECK") {
		if _, err := g.ident("a constraint name"); err != nil {
			return err
		}
	}
	switch {
	case g.accept("PRIMARY", "KEY"):
		if s.PrimaryKey != nil {
			return twoKeys(pos)
		}
		var err error
		s.PrimaryKey, err = g.primaryKey()
		return err
	case g.peek("UNIQUE"):
		return unsupported(pos, "UNIQUE keys")
	case g.peek("FULLTEXT"), g.peek("SPATIAL"):
		return unsupported(pos, strings.ToUpper(g.text(g.i))+" indexes")
	case g.peek("FOREIGN", "KEY"):
		return unsupported(pos, "FOREIGN KEY")
	case g.peek("CHECK") && g.op(g.i+1, "("):
		return unsupported(pos, "CHECK constraints")
	case g.peek("WATERMARK", "FOR"):
		return unsupported(pos, "WATERMARK")
	case (g.peek("KEY") || g.peek("INDEX")) && g.isIndex():
		g.i++
		ix, err := g.index()
		if err != nil {
			return err
		}
		s.Indexes = append(s.Indexes, ix)
		return nil
	}
	c, err := g.column()
	if err != nil {
		return err
	}
	s.Columns = append(s.Columns, c)
	return nil
}

// isIndex tells KEY name (…) from a column that is called key.
func (g *grammar) isIndex() bool {
	if g.op(g.i+1, "(") || g.is(g.i+1, "USING") {
		return true
	}
	if _, ok := g.name(g.i + 1); !ok {
		return false
	}
	if g.is(g.i+2, "USING") {
		return true
	}
	// "key VARCHAR(10)": the parentheses of an index hold names.
	if !g.op(g.i+2, "(") {
		return false
	}
	_, named := g.name(g.i + 3)
	return named
}

func (g *grammar) primaryKey() ([]string, error) {
	if err := g.indexMethod(); err != nil {
		return nil, err
	}
	cols, err := g.indexColumns()
	if err != nil {
		return nil, err
	}
	if err := g.indexOptions(); err != nil {
		return nil, err
	}
	if !g.accept("NOT", "ENFORCED") {
		g.accept("ENFORCED")
	}
	return cols, nil
}

// index reads [name] [USING …] (columns) [options], after KEY or INDEX.
func (g *grammar) index() (Index, error) {
	ix := Index{Pos: g.pos()}
	var err error
	if !g.op(g.i, "(") && !g.peek("USING") {
		if ix.Name, err = g.ident("an index name"); err != nil {
			return ix, err
		}
	}
	if err = g.indexMethod(); err != nil {
		return ix, err
	}
	if ix.Columns, err = g.indexColumns(); err != nil {
		return ix, err
	}
	g.notes = append(g.notes, fmt.Sprintf("KEY on (%s) becomes a bloom-filter file index", strings.Join(ix.Columns, ", ")))
	return ix, g.indexOptions()
}

func (g *grammar) indexMethod() error {
	if g.accept("USING") {
		if _, err := g.ident("BTREE or HASH"); err != nil {
			return err
		}
	}
	return nil
}

// indexColumns reads (col [(length)] [ASC|DESC], …); lengths and order are
// dropped.
func (g *grammar) indexColumns() ([]string, error) {
	if err := g.expectOp("("); err != nil {
		return nil, err
	}
	var out []string
	for {
		if g.op(g.i, "(") {
			return nil, unsupported(g.pos(), "keys on expressions")
		}
		c, err := g.ident("a column name")
		if err != nil {
			return nil, err
		}
		if _, _, err := g.length(1, 1); err != nil {
			return nil, err
		}
		if !g.accept("ASC") {
			g.accept("DESC")
		}
		out = append(out, c)
		if g.acceptOp(")") {
			return out, nil
		}
		if !g.acceptOp(",") {
			return nil, g.errorf("expected ',' or ')'")
		}
	}
}

func (g *grammar) indexOptions() error {
	for {
		switch {
		case g.peek("USING"):
			if err := g.indexMethod(); err != nil {
				return err
			}
		case g.accept("COMMENT"):
			if _, err := g.str("a comment"); err != nil {
				return err
			}
		case g.accept("KEY_BLOCK_SIZE"):
			g.acceptOp("=")
			g.skip()
		case g.accept("VISIBLE"), g.accept("INVISIBLE"):
		default:
			return nil
		}
	}
}

// tableClauses reads what follows the columns: MySQL's table options, Flink's
// and Spark's clauses, and the query.
func (g *grammar) tableClauses(s *CreateTable) error {
	for !g.atEnd() {
		pos := g.pos()
		switch {
		case g.peek("COLUMNS") && g.op(g.i+1, "("):
			g.i++
			if err := g.columnTypes(s); err != nil {
				return err
			}
		case g.accept("PARTITIONED", "BY"):
			if err := g.partitionedBy(s); err != nil {
				return err
			}
		case g.peek("WITH") && g.op(g.i+1, "("), g.peek("TBLPROPERTIES"), g.peek("OPTIONS") && g.op(g.i+1, "("):
			g.i++
			if err := g.addOptions(&s.Options); err != nil {
				return err
			}
		case g.accept("USING"):
			if name, err := g.ident("a table format"); err != nil {
				return err
			} else if !strings.EqualFold(name, "paimon") {
				return unsupported(pos, "USING "+name+"; tables are USING paimon")
			}
		case g.accept("COMMENT"):
			g.acceptOp("=")
			var err error
			if s.Comment, err = g.str("a comment"); err != nil {
				return err
			}
		case g.peek("LIKE"):
			if err := g.like(s); err != nil {
				return err
			}
		case g.peek("AS"), g.startsQuery(g.i), g.peek("IGNORE"), g.peek("REPLACE"):
			return g.asSelect(s)
		case g.peek("PARTITION", "BY"):
			return unsupported(pos, "PARTITION BY; write PARTITIONED BY (columns)")
		case g.peek("LOCATION"), g.peek("CLUSTERED"), g.peek("DISTRIBUTED"), g.peek("TABLESPACE"), g.peek("UNION"):
			return unsupported(pos, strings.ToUpper(g.text(g.i))+" in CREATE TABLE")
		default:
			if err := g.ignoredTableOption(); err != nil {
				return err
			}
		}
		g.acceptOp(",")
	}
	return nil
}

// valuedTableOptions are MySQL's table options that have no meaning here; their
// value is dropped. A note says so unless every dump has them.
var valuedTableOptions = map[string]bool{
	"ENGINE": false, "CHARSET": false, "COLLATE": false, "CHARACTER": false, "ROW_FORMAT": false,
	"STATS_PERSISTENT": true, "STATS_AUTO_RECALC": true, "STATS_SAMPLE_PAGES": true, "KEY_BLOCK_SIZE": true,
	"AVG_ROW_LENGTH": true, "MAX_ROWS": true, "MIN_ROWS": true, "CHECKSUM": true, "PACK_KEYS": true,
	"DELAY_KEY_WRITE": true, "COMPRESSION": true, "ENCRYPTION": true, "INSERT_METHOD": true,
	"CONNECTION": true, "PASSWORD": true, "AUTOEXTEND_SIZE": true, "STORAGE": true,
}

func (g *grammar) ignoredTableOption() error {
	pos := g.pos()
	g.accept("DEFAULT")
	if g.tokens[g.i].kind != tWord {
		return g.errorf("expected a table option")
	}
	name := strings.ToUpper(g.text(g.i))
	if name == "AUTO_INCREMENT" {
		return unsupported(pos, "AUTO_INCREMENT")
	}
	noted, known := valuedTableOptions[name]
	if !known {
		return g.errorf("expected a table option")
	}
	g.i++
	if name == "CHARACTER" {
		if err := g.expect("SET"); err != nil {
			return err
		}
	}
	g.acceptOp("=")
	if t := g.tokens[g.i]; t.kind != tWord && t.kind != tQuoted && t.kind != tNumber && t.kind != tString {
		return g.errorf("expected a value")
	}
	g.i++
	if noted {
		g.notes = append(g.notes, name+" has no effect")
	}
	return nil
}

// addOptions adds a list of properties; no key may occur in two lists.
func (g *grammar) addOptions(to *hints.Set) error {
	set, err := g.properties()
	if err != nil {
		return err
	}
	for _, o := range set {
		if _, twice := to.Get(o.Key); twice {
			return g.errorAt(o.KeyPos, "key '"+o.Key+"' is given twice")
		}
		*to = append(*to, o)
	}
	return nil
}

// partitionedBy reads (name, …) and Spark's (name type, …), which adds columns.
func (g *grammar) partitionedBy(s *CreateTable) error {
	if s.PartitionedBy != nil {
		return g.errorf("PARTITIONED BY is given twice")
	}
	if err := g.expectOp("("); err != nil {
		return err
	}
	for {
		if g.op(g.i+1, "(") {
			return unsupported(g.pos(), "partition transforms such as "+g.text(g.i)+"(…)")
		}
		if g.op(g.i+1, ",") || g.op(g.i+1, ")") {
			name, err := g.ident("a column name")
			if err != nil {
				return err
			}
			s.PartitionedBy = append(s.PartitionedBy, name)
		} else {
			c, err := g.column()
			if err != nil {
				return err
			}
			s.Columns = append(s.Columns, c)
			s.PartitionedBy = append(s.PartitionedBy, c.Name)
		}
		if g.acceptOp(")") {
			return nil
		}
		if !g.acceptOp(",") {
			return g.errorf("expected ',' or ')'")
		}
	}
}

// like reads LIKE t and Flink's list of what to take over.
func (g *grammar) like(s *CreateTable) error {
	if err := g.expect("LIKE"); err != nil {
		return err
	}
	n, err := g.tableName()
	if err != nil {
		return err
	}
	s.Like, s.LikeOptions = &n, true
	list := g.acceptOp("(")
	for g.peek("INCLUDING") || g.peek("EXCLUDING") || g.peek("OVERWRITING") {
		exclude := g.peek("EXCLUDING")
		g.i++
		what, err := g.ident("ALL, OPTIONS, …")
		if err != nil {
			return err
		}
		if strings.EqualFold(what, "ALL") || strings.EqualFold(what, "OPTIONS") {
			s.LikeOptions = !exclude
		}
	}
	if list {
		return g.expectOp(")")
	}
	return nil
}

// asSelect reads [IGNORE|REPLACE] [AS] query, to the end of the statement.
func (g *grammar) asSelect(s *CreateTable) error {
	if g.peek("IGNORE") || g.peek("REPLACE") {
		return unsupported(g.pos(), "CREATE TABLE … "+strings.ToUpper(g.text(g.i))+" SELECT")
	}
	g.accept("AS")
	if !g.startsQuery(g.i) {
		return g.errorf("expected a query")
	}
	first := g.i
	query := Text{SQL: strings.TrimSpace(g.src[g.pos():g.end]), Pos: g.pos()}
	var err error
	if s.Query, err = g.host.query(g.lexed, first, len(g.tokens)-1); err != nil {
		return err
	}
	s.AsSelect = &query
	g.i = len(g.tokens) - 1
	return nil
}

// checkCreate checks names against each other and moves PRIMARY KEY from its
// column to the table.
func (g *grammar) checkCreate(s *CreateTable) error {
	byName := make(map[string]int, len(s.Columns))
	for i, c := range s.Columns {
		lower := strings.ToLower(c.Name)
		if _, twice := byName[lower]; twice {
			return twoColumns(c.Pos, c.Name)
		}
		byName[lower] = i
		if !c.PrimaryKey {
			continue
		}
		if s.PrimaryKey != nil {
			return twoKeys(c.Pos)
		}
		s.PrimaryKey = []string{c.Name}
	}
	for _, k := range s.PrimaryKey {
		if i, ok := byName[strings.ToLower(k)]; ok {
			s.Columns[i].Type.NotNull = true
		}
	}
	return nil
}
