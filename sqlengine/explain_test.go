package sqlengine_test

import (
	"slices"
	"strings"
	"testing"
)

// EXPLAIN tells which snapshot and hints hold, what was left out, and what is merged.
func TestExplain(t *testing.T) {
	db := openEngine(t)
	exec(t, db, "CREATE TABLE x (k INT, p STRING, v INT, PRIMARY KEY (k, p)) PARTITIONED BY (p) WITH ('bucket'='1','write-only'='true')")
	exec(t, db, "INSERT INTO x VALUES (1,'a',1), (2,'b',2), (3,'c',3)")
	exec(t, db, "INSERT INTO x VALUES (1,'a',5)")
	for _, c := range []struct{ query, want string }{
		{"SELECT v FROM x", "snapshot: 2|columns: v|partitions: 3|buckets: 3|files: 4 of 4, 4 of them in level 0|manifests: 2 of 2|splits: 2 raw, 1 merged"},
		{"SELECT v FROM x WHERE p = 'a'", "snapshot: 2|columns: p, v|pruned by: p = 'a'|partitions: 1 of 3|buckets: 1|files: 2 of 2, 2 of them in level 0|manifests: 2 of 2|splits: 0 raw, 1 merged"},
		{"SELECT v FROM x WHERE p = 'c'", "partitions: 1 of 3|buckets: 1|files: 1 of 1, 1 of them in level 0|manifests: 1 of 2|splits: 1 raw, 0 merged"},
		{"SELECT v FROM x WHERE k > 2", "pruned by: k > 2|partitions: 1|buckets: 1|files: 1 of 4, 1 of them in level 0"},
		{"SELECT v FROM x OPTIONS ('scan.snapshot-id'='1') WHERE p = 'a'", "snapshot: 1|hints: scan.snapshot-id=1|splits: 1 raw, 0 merged"},
	} {
		var lines []string
		for _, l := range query(t, db, "EXPLAIN "+c.query) {
			lines = append(lines, strings.TrimSpace(l))
		}
		for _, want := range strings.Split(c.want, "|") {
			if !slices.Contains(lines, want) {
				t.Errorf("%s: no line %q in\n%s", c.query, want, strings.Join(lines, "\n"))
			}
		}
	}
}
