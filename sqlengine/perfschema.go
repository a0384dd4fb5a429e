package sqlengine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/plan"
)

const systemCollation = sql.Collation_utf8mb4_0900_ai_ci

// instrumented are the tables of performance_schema that have no rows: nothing is
// measured, and @@performance_schema says so, in which case MySQL's have none
// either. Columns are MySQL 8.0's: a name and a type, see columnType; a question
// mark is for columns that may be NULL.
var instrumented = map[string]string{
	"setup_actors":      "HOST c255, USER c32, ROLE c32, ENABLED c3, HISTORY c3",
	"setup_consumers":   "NAME v64, ENABLED c3",
	"setup_instruments": "NAME v128, ENABLED c3, TIMED c3?, PROPERTIES v100, FLAGS v20?, VOLATILITY i, DOCUMENTATION t?",
	"setup_objects":     "OBJECT_TYPE v9, OBJECT_SCHEMA v64?, OBJECT_NAME v64, ENABLED c3, TIMED c3",
	"setup_threads":     "NAME v128, ENABLED c3, HISTORY c3, PROPERTIES v20, VOLATILITY i, DOCUMENTATION t?",

	"session_connect_attrs":         "PROCESSLIST_ID u, ATTR_NAME v32, ATTR_VALUE v1024?, ORDINAL_POSITION i?",
	"session_account_connect_attrs": "PROCESSLIST_ID u, ATTR_NAME v32, ATTR_VALUE v1024?, ORDINAL_POSITION i?",

	"events_statements_current":      statementEvents,
	"events_statements_history":      statementEvents,
	"events_statements_history_long": statementEvents,
	"events_stages_current":          stageEvents,
	"events_stages_history":          stageEvents,
	"events_stages_history_long":     stageEvents,
	"events_waits_current":           waitEvents,
	"events_waits_history":           waitEvents,
	"events_waits_history_long":      waitEvents,
	"events_statements_summary_by_digest": "SCHEMA_NAME v64?, DIGEST v64?, DIGEST_TEXT t?, COUNT_STAR u, SUM_TIMER_WAIT u, MIN_TIMER_WAIT u, " +
		"AVG_TIMER_WAIT u, MAX_TIMER_WAIT u, SUM_LOCK_TIME u, SUM_ERRORS u, SUM_WARNINGS u, SUM_ROWS_AFFECTED u, SUM_ROWS_SENT u, " +
		"SUM_ROWS_EXAMINED u, SUM_CREATED_TMP_DISK_TABLES u, SUM_CREATED_TMP_TABLES u, SUM_SELECT_FULL_JOIN u, SUM_SELECT_FULL_RANGE_JOIN u, " +
		"SUM_SELECT_RANGE u, SUM_SELECT_RANGE_CHECK u, SUM_SELECT_SCAN u, SUM_SORT_MERGE_PASSES u, SUM_SORT_RANGE u, SUM_SORT_ROWS u, " +
		"SUM_SORT_SCAN u, SUM_NO_INDEX_USED u, SUM_NO_GOOD_INDEX_USED u, SUM_CPU_TIME u, MAX_CONTROLLED_MEMORY u, MAX_TOTAL_MEMORY u, " +
		"COUNT_SECONDARY u, FIRST_SEEN d, LAST_SEEN d, QUANTILE_95 u, QUANTILE_99 u, QUANTILE_999 u, QUERY_SAMPLE_TEXT t?, QUERY_SAMPLE_SEEN d, " +
		"QUERY_SAMPLE_TIMER_WAIT u",
}

const (
	statementEvents = "THREAD_ID u, EVENT_ID u, END_EVENT_ID u?, EVENT_NAME v128, SOURCE v64?, TIMER_START u?, TIMER_END u?, TIMER_WAIT u?, " +
		"LOCK_TIME u, SQL_TEXT t?, DIGEST v64?, DIGEST_TEXT t?, CURRENT_SCHEMA v64?, OBJECT_TYPE v64?, OBJECT_SCHEMA v64?, OBJECT_NAME v64?, " +
		"OBJECT_INSTANCE_BEGIN u?, MYSQL_ERRNO i?, RETURNED_SQLSTATE v5?, MESSAGE_TEXT v128?, ERRORS u, WARNINGS u, ROWS_AFFECTED u, " +
		"ROWS_SENT u, ROWS_EXAMINED u, CREATED_TMP_DISK_TABLES u, CREATED_TMP_TABLES u, SELECT_FULL_JOIN u, SELECT_FULL_RANGE_JOIN u, " +
		"SELECT_RANGE u, SELECT_RANGE_CHECK u, SELECT_SCAN u, SORT_MERGE_PASSES u, SORT_RANGE u, SORT_ROWS u, SORT_SCAN u, NO_INDEX_USED u, " +
		"NO_GOOD_INDEX_USED u, NESTING_EVENT_ID u?, NESTING_EVENT_TYPE v11?, NESTING_EVENT_LEVEL i?, STATEMENT_ID u?, CPU_TIME u, " +
		"MAX_CONTROLLED_MEMORY u, MAX_TOTAL_MEMORY u, EXECUTION_ENGINE v9?"
	stageEvents = "THREAD_ID u, EVENT_ID u, END_EVENT_ID u?, EVENT_NAME v128, SOURCE v64?, TIMER_START u?, TIMER_END u?, TIMER_WAIT u?, " +
		"WORK_COMPLETED u?, WORK_ESTIMATED u?, NESTING_EVENT_ID u?, NESTING_EVENT_TYPE v11?"
	waitEvents = "THREAD_ID u, EVENT_ID u, END_EVENT_ID u?, EVENT_NAME v128, SOURCE v64?, TIMER_START u?, TIMER_END u?, TIMER_WAIT u?, SPINS i?, " +
		"OBJECT_SCHEMA v64?, OBJECT_NAME v512?, INDEX_NAME v64?, OBJECT_TYPE v64?, OBJECT_INSTANCE_BEGIN u, NESTING_EVENT_ID u?, " +
		"NESTING_EVENT_TYPE v11?, OPERATION v32, NUMBER_OF_BYTES n?, FLAGS i?"

	variableColumns = "VARIABLE_NAME v64, VARIABLE_VALUE v1024?"
)

// newPerformanceSchema is the database performance_schema.
func newPerformanceSchema() sql.Database {
	d := &systemDB{name: "performance_schema", tables: map[string]sql.Table{}}
	add := func(name, columns string, rows func(*sql.Context) ([]sql.Row, error)) {
		d.tables[name] = &systemTable{name: name, schema: columnsOf(d.name, name, columns), rows: rows}
	}
	for name, columns := range instrumented {
		add(name, columns, nil)
	}
	add("session_variables", variableColumns, func(ctx *sql.Context) ([]sql.Row, error) {
		return variableRows(ctx, ctx.GetAllSessionVariables())
	})
	add("global_variables", variableColumns, func(ctx *sql.Context) ([]sql.Row, error) {
		return variableRows(ctx, sql.SystemVariables.GetAllGlobalVariables())
	})
	add("session_status", variableColumns, func(ctx *sql.Context) ([]sql.Row, error) { return statusRows(ctx, true) })
	add("global_status", variableColumns, func(ctx *sql.Context) ([]sql.Row, error) { return statusRows(ctx, false) })
	add("processlist", "ID u, USER v32?, HOST v261?, DB v64?, COMMAND v16?, TIME n?, STATE v64?, INFO t?, EXECUTION_ENGINE v9?", processRows)
	add("threads", "THREAD_ID u, NAME v128, TYPE v10, PROCESSLIST_ID u?, PROCESSLIST_USER v32?, PROCESSLIST_HOST v255?, PROCESSLIST_DB v64?, "+
		"PROCESSLIST_COMMAND v16?, PROCESSLIST_TIME n?, PROCESSLIST_STATE v64?, PROCESSLIST_INFO t?, PARENT_THREAD_ID u?, ROLE v64?, "+
		"INSTRUMENTED c3, HISTORY c3, CONNECTION_TYPE v16?, THREAD_OS_ID u?, RESOURCE_GROUP v64?, EXECUTION_ENGINE v9?, "+
		"CONTROLLED_MEMORY u, MAX_CONTROLLED_MEMORY u, TOTAL_MEMORY u, MAX_TOTAL_MEMORY u", threadRows)
	return d
}

// columnsOf reads a list of columns.
func columnsOf(database, table, list string) sql.Schema {
	var s sql.Schema
	for _, c := range strings.Split(list, ", ") {
		name, t, _ := strings.Cut(c, " ")
		t, nullable := strings.CutSuffix(t, "?")
		s = append(s, &sql.Column{Name: name, Type: columnType(t), Nullable: nullable, Source: table, DatabaseSource: database})
	}
	return s
}

// columnType is a type: u BIGINT UNSIGNED, n BIGINT, i INT, t LONGTEXT, d
// TIMESTAMP(6), c3 CHAR(3), v64 VARCHAR(64).
func columnType(t string) sql.Type {
	switch t {
	case "u":
		return gmstypes.Uint64
	case "n":
		return gmstypes.Int64
	case "i":
		return gmstypes.Int32
	case "t":
		return gmstypes.LongText
	case "d":
		return gmstypes.MustCreateDatetimeType(sqltypes.Timestamp, 6)
	}
	base := sqltypes.VarChar
	if t[0] == 'c' {
		base = sqltypes.Char
	}
	n, err := strconv.ParseInt(t[1:], 10, 64)
	if err != nil {
		panic("column type " + t)
	}
	return gmstypes.MustCreateString(base, n, systemCollation)
}

// variableRows are variables as SHOW VARIABLES has them.
func variableRows(ctx *sql.Context, values map[string]any) ([]sql.Row, error) {
	rows := make([]sql.Row, 0, len(values))
	for name, v := range values {
		text, _, err := gmstypes.LongText.Convert(ctx, plan.ShownVariable(name, v))
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", name, err)
		}
		rows = append(rows, sql.Row{name, text})
	}
	sortByName(rows)
	return rows, nil
}

// statusRows are counters as SHOW STATUS has them.
func statusRows(ctx *sql.Context, session bool) ([]sql.Row, error) {
	values := sql.StatusVariables.NewGlobalMap()
	if session {
		for name, v := range ctx.GetAllStatusVariables(ctx) {
			values[name] = v
		}
	}
	rows := make([]sql.Row, 0, len(values))
	for name, v := range values {
		text, _, err := gmstypes.LongText.Convert(ctx, v.Value())
		if err != nil {
			return nil, fmt.Errorf("status variable %s: %w", name, err)
		}
		rows = append(rows, sql.Row{name, text})
	}
	sortByName(rows)
	return rows, nil
}

func sortByName(rows []sql.Row) {
	slices.SortFunc(rows, func(a, b sql.Row) int { return strings.Compare(a[0].(string), b[0].(string)) })
}

// processRows are the connections.
func processRows(ctx *sql.Context) ([]sql.Row, error) {
	var rows []sql.Row
	for _, p := range ctx.ProcessList.Processes() {
		state, info := any(nil), any(nil)
		if p.Command == sql.ProcessCommandQuery {
			state, info = "running", p.Query
		}
		rows = append(rows, sql.Row{
			uint64(p.Connection), p.User, p.Host, orNull(p.Database), string(p.Command), int64(p.Seconds()), state, info, "PRIMARY",
		})
	}
	slices.SortFunc(rows, func(a, b sql.Row) int { return int(int64(a[0].(uint64)) - int64(b[0].(uint64))) })
	return rows, nil
}

// threadRows are the connections, each a thread of its own number.
func threadRows(ctx *sql.Context) ([]sql.Row, error) {
	list, err := processRows(ctx)
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, p := range list {
		host, _, _ := strings.Cut(p[2].(string), ":")
		rows = append(rows, sql.Row{
			p[0], "thread/sql/one_connection", "FOREGROUND", p[0], p[1], host, p[3], p[4], p[5], p[6], p[7], nil, nil, "NO", "NO",
			"TCP/IP", nil, nil, p[8], uint64(0), uint64(0), uint64(0), uint64(0),
		})
	}
	return rows, nil
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
