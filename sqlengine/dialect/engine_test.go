package dialect_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// versioned is a database that notes what AS OF brings.
type versioned struct {
	*memory.Database
	reads []string
}

func (d *versioned) GetTableInsensitiveAsOf(ctx *sql.Context, name string, at any) (sql.Table, bool, error) {
	text, _ := at.(string)
	r, ok, err := hints.DecodeRead(text)
	if err != nil || !ok {
		return nil, false, fmt.Errorf("AS OF brings %v: %w", at, err)
	}
	d.reads = append(d.reads, fmt.Sprintf("%s %s %s(%s number=%v unbound=%v)", name, r.Options, r.At.Kind, r.At.Text, r.At.Number, r.At.Unbound))
	return d.GetTableInsensitive(ctx, name)
}

func (d *versioned) GetTableNamesAsOf(ctx *sql.Context, _ any) ([]string, error) {
	return d.GetTableNames(ctx)
}

// noted answers every statement of ours with its kind and children.
type noted struct{}

func (noted) Build(stmt dialect.Statement, children []any) (sql.ExecSourceRel, error) {
	if _, ok := stmt.(*dialect.ShowJobs); ok {
		return nil, errors.New("jobs are not for tests")
	}
	var values []string
	for _, c := range children {
		values = append(values, fmt.Sprint(c))
	}
	return row{stmt.Kind() + "(" + strings.Join(values, ", ") + ")"}, nil
}

// row is a node with one row of one text column.
type row struct{ text string }

var _ sql.ExecSourceRel = row{}

func (r row) Resolved() bool                             { return true }
func (r row) String() string                             { return r.text }
func (r row) Schema() sql.Schema                         { return sql.Schema{{Name: "r", Type: types.Text}} }
func (r row) Children() []sql.Node                       { return nil }
func (r row) WithChildren(...sql.Node) (sql.Node, error) { return r, nil }
func (r row) IsReadOnly() bool                           { return true }
func (r row) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return sql.RowsToRowIter(sql.Row{r.text}), nil
}

type fixture struct {
	*testing.T
	engine *sqle.Engine
	ctx    *sql.Context
	db     *versioned
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db := &versioned{Database: memory.NewDatabase("db")}
	db.EnablePrimaryKeyIndexes()
	provider := memory.NewDBProvider(db)
	engine := sqle.NewDefault(provider)
	t.Cleanup(func() { engine.Close() })
	// The session commits through databases of the host's own types only.
	session := memory.NewSession(sql.NewBaseSession(), memory.NewDBProvider(db.Database))
	ctx := sql.NewContext(context.Background(), sql.WithSession(session))
	ctx.SetCurrentDatabase("db")
	f := &fixture{t, engine, ctx, db}
	schema := sql.NewPrimaryKeySchema(sql.Schema{
		{Name: "id", Type: types.Int64, Source: "t", PrimaryKey: true},
		{Name: "s", Type: types.Text, Source: "t", Nullable: true},
	})
	db.AddTable("t", memory.NewTable(db.Database.BaseDatabase, "t", schema, nil))
	f.engine.Parser = dialect.New(dialect.Config{Builder: noted{}})
	f.query("INSERT INTO t VALUES (1, 'x中'), (2, 'xa'), (3, 'y'), (4, '50%'), (5, '50x')")
	return f
}

func (f *fixture) run(q string) (names []string, rows []string, err error) {
	schema, iter, _, err := f.engine.Query(f.ctx, q)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range schema {
		names = append(names, c.Name)
	}
	all, err := sql.RowIterToRows(f.ctx, iter)
	for _, r := range all {
		rows = append(rows, strings.Trim(fmt.Sprint([]any(r)...), "[]"))
	}
	return names, rows, err
}

func (f *fixture) query(q string) (names []string, rows []string) {
	f.Helper()
	names, rows, err := f.run(q)
	if err != nil {
		f.Fatalf("%s: %v", q, err)
	}
	return names, rows
}

func TestHostAnswers(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct{ query, names, rows string }{
		{"SELECT 5--3", "5--3", "8"},
		{"SELECT 5 -- 3\n", "5", "5"},
		{"SELECT id FROM t WHERE s LIKE 'x%' ORDER BY id", "id", "1 2"},
		{"SELECT id FROM t WHERE s LIKE '50\\%'", "id", "4"},
		{"SELECT id FROM t WHERE s LIKE '50#%' ESCAPE '#'", "id", "4"},
		{"SELECT id FROM t WHERE s NOT LIKE 'x%' ORDER BY id", "id", "3 4 5"},
		{"SELECT '50\\%', '\\_'", "50\\%,\\_", "50\\%\\_"},
		{"SELECT CAST('7' AS BIGINT) + 1", "CAST('7' AS BIGINT) + 1", "8"},
		{"SELECT CAST(2 AS BOOLEAN)", "CAST(2 AS BOOLEAN)", "true"},
		{"SELECT DATE '2026-01-31' + INTERVAL 1 MONTH", "DATE '2026-01-31' + INTERVAL 1 MONTH", "2026-02-28 00:00:00 +0000 UTC"},
		{"SELECT id FROM db.t /*+ OPTIONS('k'='v') */ x WHERE x.id = 1", "id", "1"},
		{"CALL sys.compact('a', n => 1 + 1)", "r", "CALL('a', (1 + 1))"},
		{"SET 'a.b' = 'c'", "r", "SET()"},
		{"/*!50001 SELECT 1 */", "1", "1"},
	} {
		names, rows := f.query(c.query)
		if got := strings.Join(names, ","); got != c.names {
			t.Errorf("%s: columns %q, want %q", c.query, got, c.names)
		}
		if got := strings.Join(rows, " "); got != c.rows {
			t.Errorf("%s: rows %q, want %q", c.query, got, c.rows)
		}
	}
}

func TestHintsReachTheDatabase(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct{ query, read string }{
		{"SELECT * FROM t OPTIONS ('a'='b', 'c'='it''s')", "t OPTIONS ('a'='b', 'c'='it''s') ( number=false unbound=false)"},
		{"SELECT * FROM t VERSION AS OF 5", "t OPTIONS () version(5 number=true unbound=false)"},
		{"SELECT * FROM t VERSION AS OF '5'", "t OPTIONS () version(5 number=false unbound=false)"},
		{"SELECT * FROM t TIMESTAMP AS OF '2026-01-01'", "t OPTIONS () time(2026-01-01 number=false unbound=false)"},
		{"SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2026-01-02 00:00:00.5' x", "t OPTIONS () time(2026-01-02 00:00:00.5 number=false unbound=false)"},
		{"SELECT (SELECT MAX(id) FROM t /*+ OPTIONS('a'='b') */)", "t OPTIONS ('a'='b') ( number=false unbound=false)"},
		{"UPDATE t OPTIONS ('a'='b') SET s = 'z' WHERE id = 3", "t OPTIONS ('a'='b') ( number=false unbound=false)"},
	} {
		f.db.reads = nil
		f.query(c.query)
		if len(f.db.reads) == 0 || f.db.reads[0] != c.read {
			t.Errorf("%s: reads %q, want %q", c.query, f.db.reads, c.read)
		}
	}
	f.query("CREATE VIEW v AS SELECT id, 5--3 AS e FROM t /*+ OPTIONS('a'='b') */ WHERE s LIKE 'x%'")
	f.db.reads = nil
	if _, rows := f.query("SELECT e FROM v"); strings.Join(rows, " ") != "8 8" {
		t.Errorf("view: rows %q", rows)
	}
	if len(f.db.reads) == 0 || !strings.HasPrefix(f.db.reads[0], "t OPTIONS ('a'='b')") {
		t.Errorf("view: reads %q", f.db.reads)
	}
}

func TestPreparedTimeTravel(t *testing.T) {
	f := newFixture(t)
	const q = "SELECT id FROM t VERSION AS OF ? OPTIONS ('a'='b') WHERE id = ?"
	if _, err := f.engine.PrepareQuery(f.ctx, q); err != nil {
		t.Fatal(err)
	}
	if n := len(f.db.reads); n == 0 || !strings.Contains(f.db.reads[n-1], "unbound=true") {
		t.Errorf("prepare reads %q", f.db.reads)
	}
	f.query("PREPARE p FROM '" + strings.ReplaceAll(q, "'", "''") + "'")
	f.query("SET @v = 7")
	f.query("SET @i = 2")
	f.db.reads = nil
	if _, rows := f.query("EXECUTE p USING @v, @i"); strings.Join(rows, " ") != "2" {
		t.Errorf("rows %q", rows)
	}
	if len(f.db.reads) == 0 || !strings.Contains(f.db.reads[0], "version(7 number=true unbound=false)") {
		t.Errorf("execute reads %q", f.db.reads)
	}
}

func TestErrorsKeepTheirNumbers(t *testing.T) {
	f := newFixture(t)
	for query, want := range map[string]int{
		"CREATE TABLE x (a INT AUTO_INCREMENT)": 1235,
		"CREATE TABLE x (a INT, A INT)":         1060,
		"SELECT DATE 'x'":                       1525,
	} {
		_, _, err := f.run(query)
		var e *dialect.Error
		if !errors.As(err, &e) || e.Code != want {
			t.Errorf("%s: %v, want error %d", query, err, want)
		}
		var m *mysql.SQLError
		if !errors.As(err, &m) || m.Num != want || m.State != e.State || m.Message != e.Message {
			t.Errorf("%s: the host sees %+v, want error %d", query, m, want)
		}
	}
	if _, _, err := f.run("SHOW JOBS"); err == nil || err.Error() != "jobs are not for tests" {
		t.Errorf("error of the builder: %v", err)
	}
	if _, _, err := f.run("SELEC 1"); !sql.ErrSyntaxError.Is(err) || !strings.Contains(err.Error(), "near 'SELEC 1' at line 1") {
		t.Errorf("syntax error: %v", err)
	}
}
