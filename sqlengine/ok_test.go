package sqlengine_test

import (
	"bytes"
	"net"
	"slices"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

// The text about the rows has its length before it, in each of several statements.
func TestTextOfOK(t *testing.T) {
	addr, _, db := openServer(t)
	exec(t, db, "CREATE TABLE default.t (k INT PRIMARY KEY, v INT)")
	r := dialRaw(t, addr, multiStatements)
	for _, x := range []struct{ query, want string }{
		{"PREPARE s FROM 'SELECT ? + ?'", "\x00\x00\x00\x02\x00\x00\x00\x12Statement prepared"},
		{"INSERT INTO default.t VALUES (1, 1), (2, 2)", "\x00\x02\x00\x02\x00\x00\x00\x26Records: 2  Duplicates: 0  Warnings: 0"},
		{"UPDATE default.t SET v = 2", "\x00\x01\x00\x02\x00\x00\x00\x28Rows matched: 2  Changed: 1  Warnings: 0"},
	} {
		r.send(mysql.ComQuery, x.query)
		if got := string(r.read(1)); got != x.want {
			t.Errorf("%s: %q, want %q", x.query, got, x.want)
		}
	}
	const more = "\x00\x01\x00\x0a\x00\x00\x00\x26Records: 1  Duplicates: 0  Warnings: 0"
	r.send(mysql.ComQuery, "INSERT INTO default.t VALUES (3, 3); INSERT INTO default.t VALUES (4, 4); DO 1")
	for seq := range byte(2) {
		if got := string(r.read(1 + seq)); got != more {
			t.Errorf("statement %d: %q, want %q", seq, got, more)
		}
	}
	r.wantOK(3)
	r.alive()
}

// The status says from the greeting on whether statements commit by themselves.
func TestStatusOfSession(t *testing.T) {
	addr, _, db := openServer(t)
	exec(t, db, "CREATE TABLE default.t (k INT PRIMARY KEY)")
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	greeting := (&rawClient{t: t, c: c}).read(0)
	_ = c.Close()
	_, rest, _ := bytes.Cut(greeting[1:], []byte{0}) // behind the version
	const status = 4 + 8 + 1 + 2 + 1                 // behind connection, salt, filler, capabilities and character set
	if rest[status]&mysql.ServerStatusAutocommit == 0 {
		t.Errorf("greeting %q: no autocommit", greeting)
	}
	r := dialRaw(t, addr, 0)
	const autocommit, transaction = mysql.ServerStatusAutocommit, mysql.ServerInTransaction
	for _, x := range []struct {
		query string
		want  byte
	}{
		{"DO 1", autocommit}, {"BEGIN", autocommit | transaction}, {"INSERT INTO default.t VALUES (1)", autocommit | transaction},
		{"ROLLBACK", autocommit}, {"SET autocommit = 0", 0}, {"INSERT INTO default.t VALUES (2)", transaction}, {"COMMIT", 0},
		{"SET autocommit = 1", autocommit},
	} {
		r.send(mysql.ComQuery, x.query)
		if p := r.read(1); p[0] != 0 || p[3] != x.want {
			t.Errorf("%s: %q, want status %d", x.query, p, x.want)
		}
	}
	if got := query(t, db, "SELECT * FROM default.t"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("rows %q", got)
	}
}
