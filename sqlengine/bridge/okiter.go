package bridge

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// Result is what a statement without rows reports.
type Result struct {
	Affected int64
	// Matched, when not 0, is what CLIENT_FOUND_ROWS clients see instead.
	Matched int64
	Info    interface{ String() string }
}

// NewOKIter runs a statement when its result is asked for and answers with one
// row that holds the host's OK.
func NewOKIter(run func(ctx *sql.Context) (Result, error)) sql.RowIter {
	return &okIter{run: run}
}

type okIter struct {
	run  func(ctx *sql.Context) (Result, error)
	done bool
}

// Next implements sql.RowIter.
func (it *okIter) Next(ctx *sql.Context) (sql.Row, error) {
	if it.done {
		return nil, io.EOF
	}
	it.done = true
	r, err := it.run(ctx)
	if err != nil {
		return nil, err
	}
	ok := gmstypes.OkResult{RowsAffected: uint64(r.Affected)}
	if r.Info != nil {
		ok.Info = r.Info
	}
	if r.Matched != 0 && ctx.Client().Capabilities&clientFoundRows != 0 {
		ok.RowsAffected = uint64(r.Matched)
	}
	ctx.SetLastQueryInfoInt(sql.RowCount, int64(ok.RowsAffected))
	return sql.NewRow(ok), nil
}

// clientFoundRows is the protocol's CLIENT_FOUND_ROWS.
const clientFoundRows = 1 << 1

// Close implements sql.RowIter.
func (it *okIter) Close(*sql.Context) error { return nil }

// AnswersOK reports whether the iterator of a statement gives an OK instead of
// rows, although the host's plan has columns: INSERT, UPDATE and DELETE.
func AnswersOK(iter sql.RowIter) bool {
	for {
		switch x := iter.(type) {
		case *okIter:
			return true
		case interface{ GetIter() sql.RowIter }:
			iter = x.GetIter()
		default:
			return false
		}
	}
}
