package dialect

import (
	"slices"
	"strings"
)

// show reads the SHOW statements of ours; it returns nil for all others.
func (g *grammar) show() (Statement, error) {
	g.i = 1
	var err error
	switch {
	case g.accept("PARTITIONS"):
		s := &ShowPartitions{}
		g.accept("FROM")
		if s.Name, err = g.tableName(); err == nil && g.accept("PARTITION") {
			s.Partition, err = g.partition(false /* dynamic */)
		}
		return s, err
	case g.peek("TAGS") && !g.is(g.i+1, "LIKE"):
		g.i++
		s := &ShowTags{}
		if !g.accept("FROM") {
			g.accept("IN")
		}
		s.Name, err = g.tableName()
		return s, err
	case g.accept("JOBS"):
		return &ShowJobs{}, nil
	case g.accept("CURRENT", "CATALOG"):
		return &ShowCatalogs{Current: true}, nil
	case g.accept("CREATE", "CATALOG"):
		s := &ShowCatalogs{}
		s.Create, err = g.ident("the name of a catalog")
		return s, err
	case g.accept("CATALOGS"):
		s := &ShowCatalogs{}
		if g.accept("LIKE") {
			s.Like, err = g.str("a pattern")
		}
		return s, err
	}
	return nil, nil
}

// use reads USE CATALOG c and USE c.db.
func (g *grammar) use() (Statement, error) {
	g.i = 1
	s := &UseCatalog{}
	var err error
	if _, named := g.name(g.i + 1); g.peek("CATALOG") && named {
		g.i++
		s.Name, err = g.ident("the name of a catalog")
		return s, err
	}
	if _, named := g.name(g.i); !named || !g.op(g.i+1, ".") {
		return nil, nil
	}
	n, err := g.tableName()
	if n.Catalog != "" {
		return nil, g.errorAt(n.Pos, "expected a database or a catalog and a database")
	}
	return &UseCatalog{Name: n.Database, Database: n.Table}, err
}

func (g *grammar) createCatalog() (Statement, error) {
	g.i = 2
	s := &CreateCatalog{IfNotExists: g.accept("IF", "NOT", "EXISTS")}
	var err error
	if s.Name, err = g.ident("the name of a catalog"); err != nil {
		return nil, err
	}
	if g.accept("COMMENT") {
		if s.Comment, err = g.str("a comment"); err != nil {
			return nil, err
		}
	}
	if g.accept("WITH") || !g.atEnd() {
		s.Options, err = g.properties()
	}
	return s, err
}

func (g *grammar) dropCatalog() (Statement, error) {
	g.i = 2
	s := &DropCatalog{IfExists: g.accept("IF", "EXISTS")}
	var err error
	s.Name, err = g.ident("the name of a catalog")
	return s, err
}

// alterDatabase reads ALTER DATABASE db SET (…); it returns nil for MySQL's
// other forms.
func (g *grammar) alterDatabase() (Statement, error) {
	g.i = 2
	n, err := g.tableName()
	if err != nil || !g.peek("SET") {
		return nil, nil
	}
	g.i++
	if !g.accept("DBPROPERTIES") {
		g.accept("PROPERTIES")
	}
	s := &AlterDatabase{Catalog: n.Database, Database: n.Table}
	s.Options, err = g.properties()
	return s, err
}

// tables reads table names with commas between.
func (g *grammar) tables() ([]TableName, error) {
	var out []TableName
	for {
		n, err := g.tableName()
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		if !g.acceptOp(",") {
			return out, nil
		}
	}
}

// analyze reads ANALYZE TABLE; its HISTOGRAM forms are the host's.
func (g *grammar) analyze() (Statement, error) {
	g.i = 1
	g.noBinlog()
	names, ok, err := g.tableList()
	if !ok {
		return nil, err
	}
	s := &AnalyzeTable{Names: names}
	if g.peek("UPDATE", "HISTOGRAM") || g.peek("DROP", "HISTOGRAM") {
		return nil, nil
	}
	if len(s.Names) == 1 && g.accept("PARTITION") {
		if s.Partition, err = g.partition(true /* dynamic */); err != nil {
			return nil, err
		}
	}
	if len(s.Names) > 1 || !g.accept("COMPUTE", "STATISTICS") {
		return s, nil
	}
	s.Compute = true
	switch {
	case g.accept("NOSCAN"):
		s.NoScan = true
	case g.accept("FOR", "ALL", "COLUMNS"):
		s.AllColumns = true
	case g.accept("FOR", "COLUMNS"):
		for {
			c, err := g.ident("a column name")
			if err != nil {
				return nil, err
			}
			s.Columns = append(s.Columns, c)
			if !g.acceptOp(",") {
				break
			}
		}
	}
	return s, nil
}

// tableList reads TABLE t, …; ok is false when another thing is meant.
func (g *grammar) tableList() (names []TableName, ok bool, err error) {
	if !g.accept("TABLE") && !g.accept("TABLES") {
		return nil, false, nil
	}
	names, err = g.tables()
	return names, err == nil, err
}

// options reads MySQL's words at the end of a statement about tables.
func (g *grammar) options(words ...string) []string {
	var out []string
	for {
		i := slices.IndexFunc(words, func(w string) bool { return g.accept(strings.Fields(w)...) })
		if i < 0 {
			return out
		}
		out = append(out, words[i])
	}
}

func (g *grammar) check() (Statement, error) {
	g.i = 1
	names, ok, err := g.tableList()
	if !ok {
		return nil, err
	}
	return &CheckTable{Names: names, Options: g.options("FOR UPGRADE", "QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED")}, nil
}

func (g *grammar) optimize() (Statement, error) {
	g.i = 1
	g.noBinlog()
	names, ok, err := g.tableList()
	if !ok {
		return nil, err
	}
	return &OptimizeTable{Names: names}, nil
}

func (g *grammar) repair() (Statement, error) {
	g.i = 1
	g.noBinlog()
	names, ok, err := g.tableList()
	if !ok {
		return nil, err
	}
	return &RepairTable{Names: names, Options: g.options("QUICK", "EXTENDED", "USE_FRM")}, nil
}

func (g *grammar) checksum() (Statement, error) {
	g.i = 1
	names, ok, err := g.tableList()
	if !ok {
		return nil, err
	}
	s := &ChecksumTable{Names: names, Quick: g.accept("QUICK")}
	if !s.Quick {
		g.accept("EXTENDED")
	}
	return s, nil
}

// noBinlog takes the words that keep a statement out of MySQL's binary log.
func (g *grammar) noBinlog() {
	if !g.accept("NO_WRITE_TO_BINLOG") {
		g.accept("LOCAL")
	}
}

// truncate reads TRUNCATE [TABLE] t PARTITION (…); without one it is the
// host's.
func (g *grammar) truncate() (Statement, error) {
	g.i = 1
	g.accept("TABLE")
	n, err := g.tableName()
	if err != nil || !g.peek("PARTITION") {
		return nil, nil
	}
	s := &TruncatePartitions{Name: n}
	s.Partitions, err = g.partitions(true /* commas */)
	return s, err
}

// renameTables reads RENAME TABLE a TO b, …. Other things are the host's to rename.
func (g *grammar) renameTables() (Statement, error) {
	g.i = 1
	if !g.accept("TABLE") && !g.accept("TABLES") {
		return nil, nil
	}
	s := &RenameTables{}
	for {
		var r Renamed
		var err error
		if r.From, err = g.tableName(); err != nil {
			return nil, err
		}
		if err := g.expect("TO"); err != nil {
			return nil, err
		}
		if r.To, err = g.tableName(); err != nil {
			return nil, err
		}
		s.Tables = append(s.Tables, r)
		if !g.acceptOp(",") {
			return s, nil
		}
	}
}

func (g *grammar) stop() (Statement, error) {
	g.i = 1
	if !g.accept("JOB") {
		return nil, nil
	}
	id, err := g.str("the id of a job")
	if err != nil {
		return nil, err
	}
	s := &StopJob{ID: id}
	if g.accept("WITH") {
		s.WithSavepoint = true
		err = g.expect("SAVEPOINT")
	}
	if g.accept("WITH") {
		err = g.expect("DRAIN")
	}
	return s, err
}

// explained are the words that begin a statement which EXPLAIN takes. Others
// name a table, which EXPLAIN describes.
var explained = words(`SELECT WITH VALUES INSERT REPLACE UPDATE DELETE MERGE CREATE CALL LOAD`)

// explain reads EXPLAIN [ANALYZE|EXTENDED|FORMAT=f|PLAN FOR] statement, under
// its other names too; it returns nil when a table is to be described.
func (g *grammar) explain() (Statement, error) {
	g.i = 1
	s := &Explain{}
	for more := true; more; {
		switch {
		case g.accept("ANALYZE"):
			s.Analyze = true
		case g.accept("PLAN", "FOR"), g.peek("EXTENDED") && g.startsExplained(g.i+1) && g.accept("EXTENDED"),
			g.peek("FORMATTED") && g.startsExplained(g.i+1) && g.accept("FORMATTED"):
		case g.accept("FORMAT"):
			if err := g.expectOp("="); err != nil {
				return nil, err
			}
			f, err := g.optionValue()
			if err != nil {
				return nil, err
			}
			s.Format = strings.ToLower(f)
		default:
			more = false
		}
	}
	if !g.startsExplained(g.i) {
		if s.Analyze || s.Format != "" {
			return nil, g.errorf("expected a statement")
		}
		return nil, nil
	}
	s.Text = Text{SQL: strings.TrimSpace(g.src[g.pos():g.end]), Pos: g.pos()}
	inner := *g.lexed
	inner.tokens = g.tokens[g.i:]
	var err error
	if s.Query, err = g.host.statement(&inner); err != nil {
		return nil, err
	}
	g.i = len(g.tokens) - 1
	return s, nil
}

func (g *grammar) startsExplained(i int) bool {
	if g.op(i, "(") {
		return true
	}
	return i < len(g.tokens) && g.tokens[i].kind == tWord && explained[strings.ToUpper(g.text(i))] && !g.op(i+1, ".")
}
