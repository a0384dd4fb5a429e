package enginetest

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
	"github.com/dolthub/go-mysql-server/enginetest/scriptgen/setup"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
	"gopkg.in/src-d/go-errors.v1"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/local"
)

// harness runs the host's suites over a warehouse in a temporary folder.
type harness struct {
	t       *testing.T
	scripts []setup.SetupScript
	engine  *lakeEngine
	session *bridge.Session
	skips   *skips
}

var (
	_ enginetest.Harness                 = (*harness)(nil)
	_ enginetest.SkippingHarness         = (*harness)(nil)
	_ enginetest.KeylessTableHarness     = (*harness)(nil)
	_ enginetest.TransactionHarness      = (*harness)(nil)
	_ enginetest.ResultEvaluationHarness = (*harness)(nil)
)

func newHarness(t *testing.T) *harness {
	h := &harness{t: t, skips: readSkips(t)}
	t.Cleanup(h.close)
	return h
}

func (h *harness) close() {
	if h.engine != nil {
		h.engine.end()
		h.engine = nil
	}
}

// Setup implements enginetest.Harness.
func (h *harness) Setup(scripts ...[]setup.SetupScript) {
	h.scripts = slices.Concat(scripts...)
}

// lakeEngine is the host's engine with what is below it.
type lakeEngine struct {
	enginetest.QueryEngine
	lake *sqlengine.Engine
	env  *storage.Env
}

// Close implements enginetest.QueryEngine. The suites close an engine before they
// ask the harness for another one.
func (e *lakeEngine) Close() error {
	e.end()
	return nil
}

func (e *lakeEngine) end() {
	if e.lake == nil {
		return
	}
	_ = e.lake.Close() // the suites leave statements open
	e.env.Close()
	e.lake = nil
}

// NewEngine implements enginetest.Harness.
func (h *harness) NewEngine(t *testing.T) (enginetest.QueryEngine, error) {
	h.close()
	h.session = nil
	root := filepath.ToSlash(t.TempDir())
	store := local.New(root)
	env := storage.NewEnv(storage.Config{Store: store, MemoryBytes: 256 << 20, Threads: 2})
	lake, err := sqlengine.Open(context.Background(), sqlengine.Options{Catalog: filesystem.New(env, root), Store: store, Root: root})
	if err != nil {
		return nil, err
	}
	h.engine = &lakeEngine{QueryEngine: lake.Host(), lake: lake, env: env}
	ctx := enginetest.NewContext(h)
	scripts := h.scripts
	if len(scripts) == 0 {
		scripts = setup.MydbData
	}
	for _, script := range scripts {
		for _, s := range script {
			if err := h.setUp(ctx, s); err != nil {
				return nil, fmt.Errorf("%s: %w", s, err)
			}
		}
	}
	h.session = nil
	return h.engine, nil
}

// adapt takes out of the suites' tables what lakesql refuses by name and queries do
// not need.
var adapt = strings.NewReplacer(
	"unique index", "index", "UNIQUE INDEX", "INDEX", "unique key", "key", "UNIQUE KEY", "KEY",
	"AUTO_INCREMENT", "",
)

// setUp runs a statement that makes the suites' tables. What skips.txt names
// is left out.
func (h *harness) setUp(ctx *sql.Context, text string) error {
	if h.skips.setup(text) {
		return nil
	}
	text = adapt.Replace(text)
	ctx = ctx.WithQuery(text)
	_, iter, _, err := h.engine.Query(ctx, text)
	if err == nil {
		_, err = sql.RowIterToRows(ctx, iter)
	}
	return err
}

// NewContext implements enginetest.Harness.
func (h *harness) NewContext() *sql.Context {
	if h.session == nil {
		h.session = bridge.NewSession(enginetest.NewBaseSession(), nil)
	}
	return sql.NewContext(context.Background(), sql.WithSession(h.session))
}

// NewSession implements enginetest.TransactionHarness.
func (h *harness) NewSession() *sql.Context {
	h.session = nil
	return h.NewContext()
}

// SupportsKeylessTables implements enginetest.KeylessTableHarness.
func (h *harness) SupportsKeylessTables() bool { return true }

// SkipQueryTest implements enginetest.SkippingHarness.
func (h *harness) SkipQueryTest(query string) bool { return h.skips.query(query) }

// EvaluateQueryResults implements enginetest.ResultEvaluationHarness. Values are
// compared as a client sees them, since lakesql's types are often narrower than the
// host's: sums of integers are DECIMAL, not DOUBLE.
func (h *harness) EvaluateQueryResults(t *testing.T, want []sql.Row, wantCols []*sql.Column, _ sql.Schema, got []sql.Row, q string, _ queries.WrapBehavior) {
	t.Helper()
	w, g := printRows(want), printRows(got)
	if !strings.Contains(strings.ToUpper(q), "ORDER BY") {
		slices.Sort(w)
		slices.Sort(g)
	}
	if !slices.Equal(w, g) {
		t.Errorf("%s\nwanted:\n%s\ngot:\n%s", q, strings.Join(w, "\n"), strings.Join(g, "\n"))
	}
}

// EvaluateExpectedError implements enginetest.ResultEvaluationHarness.
func (h *harness) EvaluateExpectedError(t *testing.T, want string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("wanted the error %q", want)
	}
}

// EvaluateExpectedErrorKind implements enginetest.ResultEvaluationHarness. Numbers
// of errors are the subject of tests/sqllogic.
func (h *harness) EvaluateExpectedErrorKind(t *testing.T, want *errors.Kind, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("wanted an error of kind %q", want.Message)
	}
}

func printRows(rows []sql.Row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		cells := make([]string, len(r))
		for j, v := range r {
			cells[j] = printValue(v)
		}
		out[i] = strings.Join(cells, "\t")
	}
	return out
}

// printValue prints numbers of all types alike.
func printValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		if v {
			return "1"
		}
		return "0"
	case float32:
		return number(strconv.FormatFloat(float64(v), 'f', -1, 32))
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return "NULL"
		}
		return number(strconv.FormatFloat(v, 'f', -1, 64))
	case decimal.Decimal:
		return number(v.String())
	case string:
		return number(v)
	case []byte:
		return number(string(v))
	case time.Time:
		return strings.TrimSuffix(v.UTC().Format("2006-01-02 15:04:05.999999"), " 00:00:00")
	case types.OkResult: // the text beside the counts is the client's affair
		return fmt.Sprintf("ok %d", v.RowsAffected)
	case sql.JSONWrapper:
		x, err := v.ToInterface()
		return fmt.Sprint(x, err)
	}
	return fmt.Sprint(v)
}

// number drops zeros behind the point.
func number(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err != nil || !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
