package oracle

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/tests/sqllogic/lake"
	"github.com/lakesql/lakesql/tests/sqllogic/runner"
)

var (
	seed       = flag.Uint64("seed", 1, "first seed of the random statements")
	seeds      = flag.Uint64("seeds", 1, "how many seeds")
	statements = flag.Int("statements", 150, "statements of each seed")
	verbose    = flag.Bool("setup", false, "print the statements that make the tables")
	shrinks    = flag.Int("shrinks", 400, "how many smaller statements are tried after a difference")
)

// statementTimeout bounds one statement on one server.
const statementTimeout = 10 * time.Second

// TestRandom runs random statements on lakesql and on the other server, which must
// answer alike.
func TestRandom(t *testing.T) {
	if *dsn == "" {
		t.Skip("no server: tests/oracle/run starts one")
	}
	l := lake.Start(t)
	for s := *seed; s < *seed+*seeds; s++ {
		t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) { randomStatements(t, l.DSN, s) })
	}
}

func randomStatements(t *testing.T, lakeDSN string, s uint64) {
	rnd := rand.New(rand.NewPCG(s, 0))
	tables := newTables(rnd)
	both := &pair{ours: open(t, lakeDSN, s), theirs: open(t, *dsn, s)}
	for _, text := range setup(rnd, tables) {
		if *verbose {
			fmt.Println(text + ";")
		}
		if how, answers := both.differ(text, false); how != "" {
			t.Fatalf("seed %d: %s: %s\n%s", s, how, text, answers)
		}
	}
	for i := range *statements {
		// Each statement has a generator of its own, so that a change of the
		// grammar's depth changes no more than needed.
		g := &generator{rnd: rand.New(rand.NewPCG(s, uint64(i)+1)), tables: tables}
		n, ordered := g.statement()
		both.binary = i%2 == 1
		how, answers := both.differ(n.String(), ordered)
		if how == "" {
			continue
		}
		if both.theirs.PingContext(t.Context()) != nil {
			t.Fatalf("seed %d, statement %d ends the other server:\n%s\n%s", s, i, n, answers)
		}
		n.shrink(*shrinks, func() bool {
			now, _ := both.differ(n.String(), ordered)
			return now == how
		})
		_, answers = both.differ(n.String(), ordered)
		t.Errorf("seed %d, statement %d: %s\n%s\n%s", s, i, how, n, answers)
	}
}

// open makes an empty database on a server and connects to it.
func open(t *testing.T, at string, s uint64) *sql.DB {
	t.Helper()
	c, err := mysql.ParseDSN(at)
	if err != nil {
		t.Fatal(err)
	}
	connect := func() *sql.DB {
		connector, err := mysql.NewConnector(c)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		db.SetMaxOpenConns(1)
		return db
	}
	db := connect()
	defer db.Close()
	name := fmt.Sprintf("random%d", s)
	for _, text := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	c.DBName = name
	db = connect()
	t.Cleanup(func() { db.Close() })
	return db
}

// pair is a connection to each of two servers.
type pair struct {
	ours, theirs *sql.DB
	binary       bool // protocol
}

// differ runs a statement on both and tells how they differ, "" when they do not,
// and what they answered.
func (p *pair) differ(text string, ordered bool) (how, answers string) {
	ours, theirs := p.answer(p.ours, text), p.answer(p.theirs, text)
	if ours.err != nil || theirs.err != nil {
		a, b := number(ours.err), number(theirs.err)
		if a == b {
			return "", ""
		}
		return fmt.Sprintf("error %d, not %d", a, b), fmt.Sprintf("ours: %v, theirs: %v", ours.err, theirs.err)
	}
	if !ordered {
		ours.sort()
		theirs.sort()
	}
	if ours.like(theirs) {
		return "", ""
	}
	return "rows", fmt.Sprintf("ours:\n%s\ntheirs:\n%s", ours, theirs)
}

// number is the number of an error; 0 without one.
func number(err error) int {
	var me *mysql.MySQLError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &me):
		return int(me.Number)
	}
	return -1
}

// answer is what a client sees of a statement.
type answer struct {
	rows  [][]string
	float []bool // columns that are DOUBLE
	err   error
}

func (p *pair) answer(db *sql.DB, text string) (a answer) {
	ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
	defer cancel()
	if !runner.HasRows(text) {
		_, a.err = db.ExecContext(ctx, text)
		return a
	}
	var rows *sql.Rows
	if p.binary {
		st, err := db.PrepareContext(ctx, text)
		if err != nil {
			return answer{err: err}
		}
		defer st.Close()
		rows, a.err = st.QueryContext(ctx)
	} else {
		rows, a.err = db.QueryContext(ctx, text)
	}
	if a.err != nil {
		return a
	}
	defer rows.Close()
	a.read(rows)
	return a
}

func (a *answer) read(rows *sql.Rows) {
	types, err := rows.ColumnTypes()
	if err != nil {
		a.err = err
		return
	}
	for _, t := range types {
		a.float = append(a.float, t.DatabaseTypeName() == "DOUBLE")
	}
	values, to := make([]sql.RawBytes, len(types)), make([]any, len(types))
	for i := range to {
		to[i] = &values[i]
	}
	for rows.Next() {
		if a.err = rows.Scan(to...); a.err != nil {
			return
		}
		a.rows = append(a.rows, strings.Split(runner.Line(values), "\t"))
	}
	a.err = rows.Err()
}

func (a *answer) sort() { slices.SortFunc(a.rows, slices.Compare) }

// like says that two answers are alike: floats may differ in their last digits.
func (a *answer) like(b answer) bool {
	if len(a.rows) != len(b.rows) {
		return false
	}
	for i, row := range a.rows {
		for c, v := range row {
			if w := b.rows[i][c]; v != w && !((a.float[c] || b.float[c]) && near(v, w)) {
				return false
			}
		}
	}
	return true
}

func near(v, w string) bool {
	x, err := strconv.ParseFloat(v, 64)
	y, err2 := strconv.ParseFloat(w, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-12*max(math.Abs(x), math.Abs(y))
}

// String prints the first rows.
func (a answer) String() string {
	const most = 12
	var b strings.Builder
	for i, row := range a.rows {
		if i == most {
			fmt.Fprintf(&b, "… %d rows", len(a.rows))
			break
		}
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return b.String()
}
