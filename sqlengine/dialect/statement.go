package dialect

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage/types"
)

// Statement is a statement of ours, read and checked for form only: names are
// as typed, nothing is looked up. The concrete types are pointers to the
// structs of this package. Positions are byte offsets in the typed statement.
type Statement interface {
	// Kind is the statement's name in messages, such as "CREATE TABLE".
	Kind() string
}

// TableName is a table name as typed, unquoted: with system table and branch
// ("t$branch_b$files") in Table. Absent parts are "".
type TableName struct {
	Catalog, Database, Table string
	Pos                      int
}

// String is the dotted form without quotes.
func (n TableName) String() string {
	s := n.Table
	if n.Database != "" {
		s = n.Database + "." + s
	}
	if n.Catalog != "" {
		s = n.Catalog + "." + s
	}
	return s
}

// Qualifier is the database as the host's provider is asked for it:
// "database", "catalog.database" or "".
func (n TableName) Qualifier() string {
	if n.Catalog != "" {
		return n.Catalog + "." + n.Database
	}
	return n.Database
}

// Text is a piece of the typed statement that the grammar does not read on: an
// expression or a query.
type Text struct {
	SQL string
	Pos int
}

// Default is the DEFAULT of a column.
type Default struct {
	Text    Text
	Literal string // the value, unquoted, when Text is a literal
	IsText  bool   // the literal was a quoted string
	Null    bool   // DEFAULT NULL
	Expr    bool   // Text is an expression, no literal
}

// ColumnDef is a column of CREATE TABLE or ALTER TABLE.
type ColumnDef struct {
	Name       string
	Type       types.Type // NotNull is set for NOT NULL and for PRIMARY KEY
	Default    *Default
	Comment    string
	HasComment bool // COMMENT was given, perhaps empty
	PrimaryKey bool // PRIMARY KEY stood in the column
	Pos        int
}

// Index is a plain KEY or INDEX, which becomes a bloom-filter file index.
type Index struct {
	Name    string
	Columns []string
	Pos     int
}

// DropDatabase is DROP DATABASE, with RESTRICT only when there are no tables.
type DropDatabase struct {
	Name     string
	IfExists bool
	Restrict bool
}

// Kind implements Statement.
func (*DropDatabase) Kind() string { return "DROP DATABASE" }

// CreateTable is CREATE TABLE in every spelling: MySQL's layout, Flink's and
// Spark's clauses, AS SELECT and LIKE, and the tail of SHOW CREATE TABLE.
type CreateTable struct {
	Name          TableName
	IfNotExists   bool
	OrReplace     bool
	Columns       []ColumnDef
	PrimaryKey    []string // from the clause or from a column; nil is none
	PartitionedBy []string // Spark's (dt STRING) adds the column as well
	Indexes       []Index
	Options       hints.Set // WITH (…) and TBLPROPERTIES (…), in order
	Comment       string
	Like          *TableName
	LikeOptions   bool  // LIKE takes the other table's options (EXCLUDING OPTIONS clears it)
	AsSelect      *Text // the query of CREATE TABLE … AS
	// Query is AsSelect parsed by the host, hints and all; nil without AsSelect.
	Query ast.Statement
	// Notes say what was accepted and changed or ignored, such as an UNSIGNED
	// type that was widened; they become SQL notes.
	Notes []string
}

// Kind implements Statement.
func (*CreateTable) Kind() string { return "CREATE TABLE" }

// ColumnPosition is the place of a column: First, After a column, or neither.
type ColumnPosition struct {
	First bool
	After string
}

// AlterAction is one change of an ALTER TABLE.
type AlterAction interface{ alterAction() }

// The changes of ALTER TABLE. Column paths are dotted for members of ROW, and
// name arrays' and maps' parts as Paimon does (a.element.f, m.value.f).
type (
	// SetOptions is SET ('k'='v') or SET TBLPROPERTIES (…).
	SetOptions struct{ Options hints.Set }
	// ResetOptions is RESET ('k') or UNSET TBLPROPERTIES [IF EXISTS] ('k').
	ResetOptions struct {
		Keys     []string
		IfExists bool
	}
	// AddColumn adds one column; Path is its dotted name.
	AddColumn struct {
		Column      ColumnDef
		Position    ColumnPosition
		IfNotExists bool
	}
	// DropColumn drops one column.
	DropColumn struct {
		Name     string
		IfExists bool
	}
	// ModifyColumn is MODIFY and, with another name in Column, CHANGE.
	ModifyColumn struct {
		Name     string
		Column   ColumnDef
		Position ColumnPosition
	}
	// AlterColumn changes single properties of a column: Spark's and MySQL's
	// ALTER COLUMN. Nil and false members stay as they are.
	AlterColumn struct {
		Name        string
		Type        *types.Type
		Comment     *string
		Position    *ColumnPosition
		SetDefault  *Default
		DropDefault bool
		SetNotNull  bool
		DropNotNull bool
	}
	// RenameColumn is RENAME COLUMN a TO b.
	RenameColumn struct{ From, To string }
	// RenameTable is RENAME [TO|AS] t.
	RenameTable struct{ To TableName }
	// SetComment is COMMENT = '…'.
	SetComment struct{ Comment string }
	// AddIndex is ADD KEY.
	AddIndex struct{ Index Index }
	// DropIndex is DROP KEY.
	DropIndex struct{ Name string }
	// DropPrimaryKey is DROP PRIMARY KEY.
	DropPrimaryKey struct{}
	// AddPartitions is ADD [IF NOT EXISTS] PARTITION (…) ….
	AddPartitions struct {
		Partitions  []Partition
		IfNotExists bool
	}
	// DropPartitions is DROP [IF EXISTS] PARTITION (…), …: partial specs allowed.
	DropPartitions struct {
		Partitions []Partition
		IfExists   bool
	}
	// NoChange is a clause with nothing to do here, such as DISABLE KEYS.
	NoChange struct{ Clause string }
	// CreateTag is CREATE [OR REPLACE] TAG, and REPLACE TAG with Replace and
	// without Create.
	CreateTag struct {
		Tag         string
		Create      bool
		Replace     bool
		IfNotExists bool
		Snapshot    string // AS OF VERSION; "" is the newest
		Retain      string // RETAIN 7 DAYS as "7 days"; "" is not given
	}
	// DeleteTag is DELETE TAG [IF EXISTS].
	DeleteTag struct {
		Tag      string
		IfExists bool
	}
	// RenameTag is RENAME TAG a TO b.
	RenameTag struct{ From, To string }
)

func (*SetOptions) alterAction()     {}
func (*ResetOptions) alterAction()   {}
func (*AddColumn) alterAction()      {}
func (*DropColumn) alterAction()     {}
func (*ModifyColumn) alterAction()   {}
func (*AlterColumn) alterAction()    {}
func (*RenameColumn) alterAction()   {}
func (*RenameTable) alterAction()    {}
func (*SetComment) alterAction()     {}
func (*AddIndex) alterAction()       {}
func (*DropIndex) alterAction()      {}
func (*DropPrimaryKey) alterAction() {}
func (*AddPartitions) alterAction()  {}
func (*DropPartitions) alterAction() {}
func (*NoChange) alterAction()       {}
func (*CreateTag) alterAction()      {}
func (*DeleteTag) alterAction()      {}
func (*RenameTag) alterAction()      {}

// AlterTable is ALTER TABLE, and CREATE INDEX and DROP INDEX.
type AlterTable struct {
	Name     TableName
	IfExists bool
	Actions  []AlterAction
	Notes    []string // as in CreateTable
}

// Kind implements Statement.
func (*AlterTable) Kind() string { return "ALTER TABLE" }

// Partition is a partition spec: constants by column, in the order written.
type Partition []hints.PartitionValue

// Arg is one argument of a CALL. Its value is the child of the same index that
// Builder.Build is handed.
type Arg struct {
	Name string // lower case; "" for a positional one
	Text Text
}

// Call is CALL [catalog.]sys.name(…). Positional arguments precede named ones.
type Call struct {
	Catalog string // "" without one
	Name    string // lower case, without "sys."
	Args    []Arg
	Pos     int
}

// Kind implements Statement.
func (*Call) Kind() string { return "CALL" }

// SetOption is SET 'key' = 'value' or SET key = value, a runtime setting.
type SetOption struct {
	Key, Value string
	Pos        int
}

// Kind implements Statement.
func (*SetOption) Kind() string { return "SET" }

// ResetOption is RESET 'key', or RESET, which resets all keys (Key is "").
type ResetOption struct {
	Key string
	Pos int
}

// Kind implements Statement.
func (*ResetOption) Kind() string { return "RESET" }

// ShowPartitions is SHOW PARTITIONS t [PARTITION (…)].
type ShowPartitions struct {
	Name      TableName
	Partition Partition
}

// Kind implements Statement.
func (*ShowPartitions) Kind() string { return "SHOW PARTITIONS" }

// ShowTags is SHOW TAGS t.
type ShowTags struct{ Name TableName }

// Kind implements Statement.
func (*ShowTags) Kind() string { return "SHOW TAGS" }

// ShowJobs is SHOW JOBS.
type ShowJobs struct{}

// Kind implements Statement.
func (*ShowJobs) Kind() string { return "SHOW JOBS" }

// StopJob is STOP JOB 'id'.
type StopJob struct {
	ID            string
	WithSavepoint bool
}

// Kind implements Statement.
func (*StopJob) Kind() string { return "STOP JOB" }

// CreateCatalog is CREATE CATALOG c WITH (…).
type CreateCatalog struct {
	Name        string
	IfNotExists bool
	Comment     string
	Options     hints.Set
}

// Kind implements Statement.
func (*CreateCatalog) Kind() string { return "CREATE CATALOG" }

// DropCatalog is DROP CATALOG [IF EXISTS] c.
type DropCatalog struct {
	Name     string
	IfExists bool
}

// Kind implements Statement.
func (*DropCatalog) Kind() string { return "DROP CATALOG" }

// UseCatalog is USE CATALOG c, and USE c.db with Database.
type UseCatalog struct{ Name, Database string }

// Kind implements Statement.
func (*UseCatalog) Kind() string { return "USE CATALOG" }

// ShowCatalogs is SHOW CATALOGS [LIKE '…'], SHOW CURRENT CATALOG with Current,
// and SHOW CREATE CATALOG with Create.
type ShowCatalogs struct {
	Like    string
	Current bool
	Create  string
}

// Kind implements Statement.
func (*ShowCatalogs) Kind() string { return "SHOW CATALOGS" }

// AlterDatabase is ALTER DATABASE db SET ('k'='v').
type AlterDatabase struct {
	Catalog, Database string
	Options           hints.Set
}

// Kind implements Statement.
func (*AlterDatabase) Kind() string { return "ALTER DATABASE SET" }

// MergeClause is one WHEN of MERGE INTO.
type MergeClause struct {
	Matched     bool // WHEN MATCHED
	BySource    bool // WHEN NOT MATCHED BY SOURCE
	Condition   *Text
	Delete      bool
	Update      bool
	Insert      bool
	All         bool // UPDATE SET * or INSERT *
	Assignments []Assignment
	Columns     []string // INSERT (columns)
	Values      []Text   // INSERT … VALUES (…)
	Pos         int
}

// Assignment is column = expression; Column is dotted as typed.
type Assignment struct {
	Column string
	Value  Text
}

// MergeInto is MERGE INTO t USING s ON c WHEN ….
type MergeInto struct {
	Target      TableName
	TargetAlias string
	Options     hints.Set
	Source      Text // a table reference or a query in parentheses, hints included
	SourceAlias string
	On          Text
	Clauses     []MergeClause
}

// Kind implements Statement.
func (*MergeInto) Kind() string { return "MERGE INTO" }

// LoadData is LOAD DATA [LOCAL] INFILE.
type LoadData struct {
	Local     bool
	File      string
	Replace   bool
	Ignore    bool
	Name      TableName
	Options   hints.Set
	Partition Partition
	Charset   string // lower case; "" when not given
	Format    LoadFormat
	SkipLines int64
	Columns   []string // names, or "@variable"
	Assign    []Assignment
	Set       ast.Statement // Assign as the host parsed it, an UPDATE of the table; nil without
}

// Kind implements Statement.
func (*LoadData) Kind() string { return "LOAD DATA" }

// LoadFormat says how lines and fields are cut; the defaults are MySQL's.
type LoadFormat struct {
	Terminated         string // between fields; default tab
	Enclosed           string // at most one byte; default none
	OptionallyEnclosed bool
	Escaped            string // at most one byte; default backslash
	LineStarting       string
	LineTerminated     string // default newline
}

// AnalyzeTable is ANALYZE TABLE t [COMPUTE STATISTICS [FOR [ALL] COLUMNS …]].
type AnalyzeTable struct {
	Names      []TableName // one, but MySQL's form takes a list
	Compute    bool        // COMPUTE STATISTICS stood there
	Columns    []string
	AllColumns bool
	NoScan     bool
	Partition  Partition
}

// Kind implements Statement.
func (*AnalyzeTable) Kind() string { return "ANALYZE TABLE" }

// CheckTable is CHECK TABLE t, …; Options are MySQL's words, upper case.
type CheckTable struct {
	Names   []TableName
	Options []string
}

// Kind implements Statement.
func (*CheckTable) Kind() string { return "CHECK TABLE" }

// OptimizeTable is OPTIMIZE TABLE t, ….
type OptimizeTable struct{ Names []TableName }

// Kind implements Statement.
func (*OptimizeTable) Kind() string { return "OPTIMIZE TABLE" }

// RepairTable is REPAIR TABLE t, …; Options are MySQL's words, upper case.
type RepairTable struct {
	Names   []TableName
	Options []string
}

// Kind implements Statement.
func (*RepairTable) Kind() string { return "REPAIR TABLE" }

// ChecksumTable is CHECKSUM TABLE t, … [QUICK|EXTENDED].
type ChecksumTable struct {
	Names []TableName
	Quick bool
}

// Kind implements Statement.
func (*ChecksumTable) Kind() string { return "CHECKSUM TABLE" }

type (
	// RenameTables is RENAME TABLE a TO b, …, of tables and views.
	RenameTables struct{ Tables []Renamed }
	// Renamed is a table's old and new name.
	Renamed struct{ From, To TableName }
)

// Kind implements Statement.
func (*RenameTables) Kind() string { return "RENAME TABLE" }

// TruncatePartitions is TRUNCATE TABLE t PARTITION (…).
type TruncatePartitions struct {
	Name       TableName
	Partitions []Partition
}

// Kind implements Statement.
func (*TruncatePartitions) Kind() string { return "TRUNCATE TABLE … PARTITION" }

// Explain is EXPLAIN [ANALYZE] [FORMAT = f] of a statement.
type Explain struct {
	Analyze bool
	Format  string // lower case; "" when not given
	Text    Text
	// Query is the explained statement as the host parsed it, hints and all; it
	// is an ast.InjectedStatement when that statement is one of ours.
	Query ast.Statement
}

// Kind implements Statement.
func (*Explain) Kind() string { return "EXPLAIN" }
