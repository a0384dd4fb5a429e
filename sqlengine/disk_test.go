package sqlengine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// TestFullAndReadOnlyDisk: statements that write are refused with MySQL's numbers and
// name a file, all others go on, and so does the session once it may write again.
func TestFullAndReadOnlyDisk(t *testing.T) {
	store := fault.Wrap(mem.New(time.Now))
	db, _, _ := openWith(t, storage.Config{Store: store})
	exec(t, db, "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(10)) WITH ('bucket'='1')")
	exec(t, db, "INSERT INTO t VALUES (1, 'one'), (2, 'two')")
	writes := []string{
		"INSERT INTO t VALUES (3, 'three')", "UPDATE t SET v = 'new' WHERE k = 1", "DELETE FROM t WHERE k = 2", "REPLACE INTO t VALUES (1, 'x')",
		"ALTER TABLE t ADD COLUMN w INT", "CREATE TABLE u (k INT PRIMARY KEY)", "CALL sys.create_tag('default.t', 'a')", "TRUNCATE TABLE t",
	}
	for _, c := range []struct {
		cause  error
		number uint16
		hits   func(fault.Op) bool
	}{
		{fileio.ErrNoSpace, 1021, func(op fault.Op) bool { return op.Changes() && op.Kind != fault.Delete && op.Kind != fault.Sync }},
		{fileio.ErrReadOnly, 1036, func(op fault.Op) bool { return op.Changes() && op.Kind != fault.Sync }},
	} {
		store.SetRule(func(op fault.Op) fault.Outcome {
			if c.hits(op) {
				return fault.Outcome{Before: fmt.Errorf("%s %s: %w", op.Kind, op.Path, c.cause)}
			}
			return fault.Outcome{}
		})
		for _, w := range writes {
			_, err := db.ExecContext(t.Context(), w)
			var refused *mysql.MySQLError
			if !errors.As(err, &refused) || refused.Number != c.number || !strings.Contains(refused.Message, "/lake/default.db/") {
				t.Errorf("%v, %s: %v", c.cause, w, err)
			}
			if got := query(t, db, "SELECT * FROM t ORDER BY k"); !slices.Equal(got, []string{"1|one", "2|two"}) {
				t.Errorf("%v, after %s: %v", c.cause, w, got)
			}
		}
		store.SetRule(nil)
	}
	exec(t, db, "INSERT INTO t VALUES (3, 'three')")
	if got := query(t, db, "SELECT COUNT(*) FROM t"); got[0] != "3" {
		t.Errorf("%v rows", got)
	}
}
