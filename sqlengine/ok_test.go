package sqlengine_test

import (
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
