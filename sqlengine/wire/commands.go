package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	lakeplan "github.com/lakesql/lakesql/sqlengine/plan"
)

// Commands of the protocol that the host's listener has no name for.
const (
	comStatistics = 0x09
	comChangeUser = 0x11
)

// commandHead is how many bytes of a command say whether we answer it: the
// command and the id of a prepared statement.
const commandHead = 5

// commands answers commands of one connection:
//
//   - COM_STMT_PREPARE, whose text the host gives to its own parser, which knows
//     nothing of our dialect and breaks on some statements;
//   - commands with a prepared statement that there is not, on which the host
//     breaks or closes the connection;
//   - COM_STMT_SEND_LONG_DATA, which the host gathers without a limit;
//   - COM_FIELD_LIST, after whose errors the host sends an end of the list;
//   - COM_SET_OPTION, whose errors the host follows by an OK;
//   - COM_STATISTICS and COM_CHANGE_USER, which the host does not know;
//   - replication, to which the host gives no answer at all, and empty packets, on
//     which it breaks.
type commands struct {
	h      *Handler
	c      *mysql.Conn
	client *clientConn
	// refused are the errors of prepared statements whose parameters were wrong.
	refused map[uint32]error
}

// attach lets h answer commands of a connection. They may be as long as the variable
// max_allowed_packet says when the client connects.
func (h *Handler) attach(c *mysql.Conn) {
	if client := clientOf(c.Conn); client != nil {
		x := &commands{h: h, c: c, client: client}
		client.answer = x.answer
		if _, most, ok := sql.SystemVariables.GetGlobal("max_allowed_packet"); ok {
			if n, ok := bridge.Int64(most); ok {
				client.limit = int(n)
			}
		}
	}
}

func (x *commands) answer(head []byte) func([]byte) error {
	if len(head) == 0 {
		return x.guarded(func(*packetWriter, []byte) error { return errMalformed })
	}
	switch head[0] {
	case mysql.ComPrepare:
		return x.guarded(x.prepare)
	case mysql.ComFieldList:
		return x.guarded(x.fieldList)
	case mysql.ComSetOption:
		return x.guarded(x.setOption)
	case mysql.ComRegisterReplica, mysql.ComBinlogDumpGTID:
		return x.guarded(func(*packetWriter, []byte) error { return errUnknownCommand })
	case comStatistics:
		return x.guarded(x.statistics)
	case comChangeUser:
		return x.guarded(x.changeUser)
	case mysql.ComStmtSendLongData:
		return x.longData
	case mysql.ComStmtClose:
		delete(x.refused, statementID(head))
	case mysql.ComStmtExecute, mysql.ComStmtReset, mysql.ComStmtFetch:
		if err := x.takeRefused(statementID(head)); err != nil && head[0] == mysql.ComStmtExecute {
			return x.guarded(func(*packetWriter, []byte) error { return err })
		}
		if x.unknown(head) {
			return x.guarded(func(w *packetWriter, payload []byte) error {
				return bridge.Errorf(bridge.CodeUnknownStmt, "Unknown prepared statement handler (%d) given to %s", statementID(payload), commandName(payload[0]))
			})
		}
	}
	return nil
}

func statementID(p []byte) uint32 {
	if len(p) < commandHead {
		return 0
	}
	return binary.LittleEndian.Uint32(p[1:])
}

func (x *commands) unknown(head []byte) bool { return x.c.PrepareData[statementID(head)] == nil }

func commandName(c byte) string {
	switch c {
	case mysql.ComStmtReset:
		return "mysqld_stmt_reset"
	case mysql.ComStmtFetch:
		return "mysqld_stmt_fetch"
	}
	return "mysqld_stmt_execute"
}

// guarded runs a command and sends its error, or the packets that it wrote.
func (x *commands) guarded(run func(w *packetWriter, payload []byte) error) func([]byte) error {
	return func(payload []byte) error {
		seq := uint8(1)
		w := newPacketWriter(x.c, &seq)
		err := func() (err error) {
			defer x.h.guard(&err, string(payload[min(1, len(payload)):]))
			return run(w, payload)
		}()
		if err == nil {
			return w.flush()
		}
		x.h.metrics.Errors.Add(1)
		return w.error(sqlError(err)) // commands write once they cannot fail any more
	}
}

// prepare answers COM_STMT_PREPARE.
func (x *commands) prepare(w *packetWriter, payload []byte) error {
	query := string(payload[1:])
	c := x.c
	options, err := x.h.ParserOptionsForConnection(c)
	if err != nil {
		return err
	}
	n := dialect.CountParams(query, options)
	if n > 1<<16-1 {
		return bridge.Errorf(bridge.CodeManyParameters, "Prepared statement contains too many placeholders")
	}
	p := &mysql.PrepareData{StatementID: c.StatementID + 1, PrepareStmt: query, ParamsCount: uint16(n)}
	if n > 0 {
		p.ParamsType = make([]int32, n)
		p.BindVars = make(map[string]*querypb.BindVariable, n)
	}
	fields, err := x.h.ComPrepare(context.Background(), c, query, p)
	if err != nil {
		return err
	}
	for _, f := range fields {
		f.Name = strings.ReplaceAll(f.Name, "'?'", "?")
		p.ColumnNames = append(p.ColumnNames, f.Name)
	}
	c.StatementID++
	c.PrepareData[c.StatementID] = p

	b := append(w.begin(), 0)
	b = binary.LittleEndian.AppendUint32(b, p.StatementID)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(fields)))
	b = binary.LittleEndian.AppendUint16(b, p.ParamsCount)
	b = append(b, 0, 0, 0) // no filler, no warnings
	if err := w.finish(b); err != nil {
		return err
	}
	params := make([]*querypb.Field, n)
	for i := range params {
		params[i] = &querypb.Field{Name: "?", Type: sqltypes.VarBinary, Charset: uint32(sql.Collation_binary)}
	}
	for _, list := range [][]*querypb.Field{params, fields} {
		if len(list) == 0 {
			continue
		}
		for _, f := range list {
			if err := w.finish(appendField(w.begin(), f)); err != nil {
				return err
			}
		}
		if c.Capabilities&mysql.CapabilityClientDeprecateEOF == 0 {
			if err := w.finish(appendEOF(w.begin(), c.StatusFlags)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldList answers COM_FIELD_LIST: the columns of a table or view, those of a
// pattern when there is one.
func (x *commands) fieldList(w *packetWriter, payload []byte) error {
	table, pattern, _ := strings.Cut(string(payload[1:]), "\x00")
	pattern = strings.TrimSuffix(pattern, "\x00")
	query := "SELECT * FROM `" + strings.ReplaceAll(table, "`", "``") + "`"
	ctx, end, err := x.h.begin(context.Background(), x.c, query, false /* not a query */)
	if err != nil {
		return err
	}
	defer end()
	node, err := x.h.engine.AnalyzeQuery(ctx, query)
	if err != nil {
		return err
	}
	if pattern == "" {
		pattern = "%"
	}
	like, err := expression.ConstructLikeMatcher(sql.Collation_utf8mb4_0900_ai_ci, pattern, '\\')
	if err != nil {
		return err
	}
	schema := node.Schema()
	for i, f := range fieldsOf(ctx, schema, lakeplan.Origins(node)) {
		if !like.Match(f.Name) {
			continue
		}
		b := appendField(w.begin(), f)
		if d := schema[i].Default; d != nil {
			b = appendText(b, strings.Trim(d.String(), "'"))
		} else {
			b = append(b, null)
		}
		if err := w.finish(b); err != nil {
			return err
		}
	}
	return x.end(w)
}

// end ends a list.
func (x *commands) end(w *packetWriter) error {
	if x.c.Capabilities&mysql.CapabilityClientDeprecateEOF != 0 {
		return w.finish(appendOK(w.begin(), mysql.EOFPacket, x.c.StatusFlags))
	}
	return w.finish(appendEOF(w.begin(), x.c.StatusFlags))
}

// setOption answers COM_SET_OPTION: whether a text may hold several statements.
func (x *commands) setOption(w *packetWriter, payload []byte) error {
	if len(payload) != 3 {
		return errMalformed
	}
	switch binary.LittleEndian.Uint16(payload[1:]) {
	case 0:
		x.c.Capabilities |= mysql.CapabilityClientMultiStatements
	case 1:
		x.c.Capabilities &^= mysql.CapabilityClientMultiStatements
	default:
		return errUnknownCommand
	}
	return x.end(w)
}

// statistics answers COM_STATISTICS with a line in MySQL's words. What lakesql has
// no notion of, such as tables to flush, is 0.
func (x *commands) statistics(w *packetWriter, _ []byte) error {
	m := x.h.metrics
	up := max(1, int64(time.Since(x.h.started)/time.Second))
	n := m.Statements.Load()
	return w.finish(fmt.Appendf(w.begin(),
		"Uptime: %d  Threads: %d  Questions: %d  Slow queries: 0  Opens: 0  Flush tables: 0  Open tables: 0  Queries per second avg: %.3f",
		up, m.Connections.Load(), n, float64(n)/float64(up)))
}

// changeUser answers COM_CHANGE_USER: a new session, of another user if need be.
// While there are no accounts every user is let in, as when it connects.
func (x *commands) changeUser(w *packetWriter, payload []byte) error {
	c := x.c
	if x.h.engine.Analyzer.Catalog.MySQLDb.Enabled() {
		return bridge.Errorf(bridge.CodeUnknownCommand, "COM_CHANGE_USER is not supported while there are accounts")
	}
	user, db, err := parseChangeUser(payload[1:])
	if err != nil {
		return err
	}
	c.User = user
	if u, ok := c.UserData.(sql.MysqlConnectionUser); ok {
		c.UserData = sql.MysqlConnectionUser{User: user, Host: u.Host}
	}
	if err := x.h.ComResetConnection(c); err != nil {
		return err
	}
	clear(c.PrepareData)
	if db != "" {
		if err := x.h.ComInitDB(c, db); err != nil {
			return err
		}
	}
	return w.finish(appendOK(w.begin(), mysql.OKPacket, c.StatusFlags))
}

var (
	errMalformed      = bridge.Errorf(bridge.CodeMalformed, "Malformed communication packet.")
	errUnknownCommand = bridge.Errorf(bridge.CodeUnknownCommand, "Unknown command")
)

// parseChangeUser reads user and database. The answer to the greeting's challenge
// lies between, its length first: clients that send it otherwise are older than 4.1.
func parseChangeUser(p []byte) (user, db string, err error) {
	name, p, ok := bytes.Cut(p, []byte{0})
	if !ok || len(p) == 0 || len(p) < 1+int(p[0]) {
		return "", "", errMalformed
	}
	base, _, ok := bytes.Cut(p[1+int(p[0]):], []byte{0})
	if !ok {
		return "", "", errMalformed
	}
	return string(name), string(base), nil
}
