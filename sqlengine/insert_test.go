package sqlengine_test

import (
	"slices"
	"testing"
	"time"
)

// TestInsertParameters writes the parameters of a prepared statement, which go
// into batches without the host's plan.
func TestInsertParameters(t *testing.T) {
	db := openEngine(t)
	exec(t, db, "CREATE TABLE t (k BIGINT PRIMARY KEY, s VARCHAR(10), d DECIMAL(10,2), f DOUBLE, ts DATETIME(3), y VARBINARY(8), b BOOLEAN, z INT DEFAULT 7)")
	stmt, err := db.PrepareContext(t.Context(), "INSERT INTO t (k, s, d, f, ts, y, b, z) VALUES (?, ?, ?, ?, ?, ?, ?, DEFAULT), (?, 'x', NULL, 1, NULL, NULL, NULL, ?)")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	for _, args := range [][]any{
		{int64(1), "a'b\\", "12.345", 1.5, at, []byte{0, 0xff}, true, int64(2), int64(9)},
		{int64(3), nil, nil, nil, nil, nil, nil, int64(4), nil},
	} {
		r, err := stmt.ExecContext(t.Context(), args...)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.RowsAffected(); err != nil || n != 2 {
			t.Fatalf("%d rows affected, %v", n, err)
		}
	}
	if _, err := stmt.ExecContext(t.Context(), int64(5), "far too long for it", nil, nil, nil, nil, nil, int64(6), nil); err == nil {
		t.Fatal("a text that is too long was taken")
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "INSERT INTO t (k) VALUES (10); INSERT INTO t (k) VALUES (11)")
	got := query(t, db, "SELECT k, s, d, f, ts, HEX(y), b, z FROM t ORDER BY k")
	want := []string{
		`1|a'b\|12.35|1.5|2026-01-02 03:04:05.678|00FF|1|7`, "2|x|NULL|1|NULL|NULL|NULL|9",
		"3|NULL|NULL|NULL|NULL|NULL|NULL|7", "4|x|NULL|1|NULL|NULL|NULL|7", // a NULL becomes the default, as the format says
		"10|NULL|NULL|NULL|NULL|NULL|NULL|7", "11|NULL|NULL|NULL|NULL|NULL|NULL|7",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
