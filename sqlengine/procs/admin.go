package procs

import (
	"errors"
	"hash/crc32"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
)

// perTable answers a statement about tables: for each what do tells, status OK when it
// returns "", or the error that stood in the way and behind that what failed, if
// anything did.
func (b *Builder) perTable(ctx *sql.Context, names []dialect.TableName, op, failed string, do func(*storage.Table) (note string, err error)) ([]sql.Row, error) {
	var out []sql.Row
	for _, n := range names {
		db, err := b.database(ctx, n)
		if err != nil {
			return nil, err
		}
		name := db + "." + n.Table
		note := ""
		t, err := b.table(ctx, n)
		if err == nil {
			note, err = do(t)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			out = append(out, sql.Row{name, op, "Error", bridge.SQLError(err).Message})
			if failed != "" {
				out = append(out, sql.Row{name, op, "status", failed})
			}
		case note != "":
			out = append(out, sql.Row{name, op, "note", note})
		default:
			out = append(out, sql.Row{name, op, "status", "OK"})
		}
	}
	return out, nil
}

// operationFailed stands behind the error of a statement about tables.
const operationFailed = "Operation failed"

// statusColumns are the columns of what perTable answers.
func statusColumns() sql.Schema {
	return sql.Schema{text("Table"), text("Op"), text("Msg_type"), text("Msg_text")}
}

// analyzeTable answers MySQL's form. Statistics of columns are those of the data
// files, which are there already.
func (b *Builder) analyzeTable(s *dialect.AnalyzeTable) *node {
	return rows(s, statusColumns(), func(ctx *sql.Context) ([]sql.Row, error) {
		if s.Compute {
			return nil, bridge.Errorf(bridge.CodeNotSupported, "ANALYZE TABLE … COMPUTE STATISTICS is not supported yet")
		}
		return b.perTable(ctx, s.Names, "analyze", "", func(*storage.Table) (string, error) { return "", nil })
	})
}

// checkTable reads every row of a table and tells what stood in the way.
func (b *Builder) checkTable(s *dialect.CheckTable) *node {
	return rows(s, statusColumns(), func(ctx *sql.Context) ([]sql.Row, error) {
		return b.perTable(ctx, s.Names, "check", operationFailed, func(t *storage.Table) (string, error) {
			return "", readThrough(ctx, t, func(*columnar.Batch) {})
		})
	})
}

// optimizeTable compacts tables fully. As DDL it ends the session's transaction.
func (b *Builder) optimizeTable(s *dialect.OptimizeTable) *node {
	n := rows(s, statusColumns(), func(ctx *sql.Context) ([]sql.Row, error) {
		if err := endTransaction(ctx); err != nil {
			return nil, err
		}
		return b.perTable(ctx, s.Names, "optimize", operationFailed, func(t *storage.Table) (string, error) {
			_, err := t.Compact(ctx, storage.CompactOptions{Full: true})
			return "", err
		})
	})
	n.readOnly = false
	return n
}

// repairTable answers as MySQL does for engines that repair nothing.
func (b *Builder) repairTable(s *dialect.RepairTable) *node {
	return rows(s, statusColumns(), func(ctx *sql.Context) ([]sql.Row, error) {
		return b.perTable(ctx, s.Names, "repair", operationFailed, func(*storage.Table) (string, error) {
			return "The storage engine for the table doesn't support repair", nil
		})
	})
}

// checksumTable sums the checksums of the rows of tables, so that their order and the
// files that hold them do not matter.
func (b *Builder) checksumTable(s *dialect.ChecksumTable) *node {
	return rows(s, sql.Schema{text("Table"), number("Checksum")}, func(ctx *sql.Context) ([]sql.Row, error) {
		var out []sql.Row
		for _, n := range s.Names {
			db, err := b.database(ctx, n)
			if err != nil {
				return nil, err
			}
			var sum any // NULL for QUICK: no checksum is kept
			t, err := b.table(ctx, n)
			if err == nil && !s.Quick {
				sum, err = checksum(ctx, t)
			}
			if err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				e := bridge.SQLError(err)
				ctx.Session.Warn(&sql.Warning{Level: "Error", Code: e.Num, Message: e.Message})
				sum = nil
			}
			out = append(out, sql.Row{db + "." + n.Table, sum})
		}
		return out, nil
	})
}

// checksum is 32 bits over the rows of the newest version.
func checksum(ctx *sql.Context, t *storage.Table) (int64, error) {
	var sum uint32
	var buf []byte
	err := readThrough(ctx, t, func(b *columnar.Batch) {
		for i := range b.Rows() {
			if b.Sel != nil {
				i = int(b.Sel[i])
			}
			buf = row.AppendRow(buf[:0], b.Cols, i)
			sum += crc32.ChecksumIEEE(buf)
		}
	})
	return int64(sum), err
}

// readThrough reads all rows of the newest version.
func readThrough(ctx *sql.Context, t *storage.Table, see func(*columnar.Batch)) (err error) {
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	cols := make([]int, len(v.Schema().Fields))
	for i := range cols {
		cols[i] = i
	}
	s, err := v.Scan(ctx, storage.ScanOptions{Columns: cols})
	if err != nil {
		return err
	}
	r := s.Reader()
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		see(b)
	}
}
