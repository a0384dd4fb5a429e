package plan

import (
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// maxFrameRows is the greatest offset of a frame by rows; more is as much.
const maxFrameRows = 1 << 40

// framer finds the frames of a window's rows.
type framer struct {
	*windowOrder
	byRows     bool
	start, end frameBound
}

// frameBound is one end of a frame. Without an offset it is the current row, or
// the end of the partition if unbounded.
type frameBound struct {
	unbounded bool
	rows      int            // of ROWS: from the current row on
	value     sql.Expression // of RANGE: the order's value there, by the current row
	typ       sql.Type       // compares value with the order's values
}

func (o *windowOrder) newFramer(ctx *sql.Context, w *sql.WindowDefinition) (*framer, error) {
	f := &framer{windowOrder: o}
	if w.Frame == nil {
		f.start.unbounded, f.end.unbounded = true, len(w.OrderBy) == 0
		return f, nil
	}
	f.byRows = strings.HasPrefix(w.Frame.String(), "ROWS")
	f.start.unbounded, f.end.unbounded = w.Frame.UnboundedPreceding(), w.Frame.UnboundedFollowing()
	if err := f.offset(ctx, &f.start, w, w.Frame.StartNPreceding(), w.Frame.StartNFollowing()); err != nil {
		return nil, err
	}
	return f, f.offset(ctx, &f.end, w, w.Frame.EndNPreceding(), w.Frame.EndNFollowing())
}

// offset sets the distance of a bound, if it has one.
func (f *framer) offset(ctx *sql.Context, b *frameBound, w *sql.WindowDefinition, before, after sql.Expression) error {
	n, sign := after, 1
	if before != nil {
		n, sign = before, -1
	}
	if n == nil {
		return nil
	}
	if f.byRows {
		v, err := n.Eval(ctx, nil)
		if err != nil {
			return err
		}
		rows, ok := bridge.Int64(v)
		if !ok || rows < 0 {
			return bridge.Errorf(bridge.CodeFrameBound, "Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type")
		}
		b.rows = sign * int(min(rows, maxFrameRows))
		return nil
	}
	if len(w.OrderBy) != 1 || !gmstypes.IsNumber(w.OrderBy[0].Column.Type()) && !gmstypes.IsTime(w.OrderBy[0].Column.Type()) {
		return bridge.Errorf(bridge.CodeFrameOrder, "Window '<unnamed window>' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type")
	}
	by := w.OrderBy[0]
	op := ast.PlusStr
	if (sign < 0) != (by.Order == sql.Descending) {
		op = ast.MinusStr
	}
	b.value, b.typ = expression.NewArithmetic(by.Column, n, op), by.Column.Type()
	if a, ok := newArith(b.value); ok {
		b.value = a
	}
	if t := b.value.Type(); gmstypes.IsNumber(b.typ) && gmstypes.IsNumber(t) {
		b.typ = t
	} else if gmstypes.IsTime(b.typ) {
		b.typ = gmstypes.DatetimeMaxPrecision
	}
	return nil
}

// at is the frame of row i of partition p; it may be empty.
func (f *framer) at(ctx *sql.Context, p sql.WindowInterval, i int) (sql.WindowInterval, error) {
	from, to := p.Start, p.End
	var err error
	if f.byRows {
		if !f.start.unbounded {
			from = min(max(i+f.start.rows, p.Start), p.End)
		}
		if !f.end.unbounded {
			to = min(max(i+f.end.rows+1, p.Start), p.End)
		}
		return sql.WindowInterval{Start: from, End: max(from, to)}, nil
	}
	if !f.start.unbounded {
		if from, err = f.search(ctx, &f.start, p, i, false); err != nil {
			return sql.WindowInterval{}, err
		}
	}
	if !f.end.unbounded {
		if to, err = f.search(ctx, &f.end, p, i, true); err != nil {
			return sql.WindowInterval{}, err
		}
	}
	return sql.WindowInterval{Start: from, End: max(from, to)}, nil
}

// search is where a frame by values starts, or ends.
func (f *framer) search(ctx *sql.Context, b *frameBound, p sql.WindowInterval, i int, end bool) (int, error) {
	peers := f.peers[i]
	if b.value == nil || f.keys[i][f.parts] == nil { // NULL has its peers around it alone
		if end {
			return peers.End, nil
		}
		return peers.Start, nil
	}
	v, err := b.value.Eval(ctx, f.rows[i])
	if err != nil {
		return 0, err
	}
	desc := f.fields[f.parts].Order == sql.Descending
	var failed error
	at := sort.Search(p.End-p.Start, func(j int) bool {
		c, err := bridge.Compare(ctx, b.typ, f.keys[p.Start+j][f.parts], v)
		if err != nil {
			failed = err
		}
		if desc {
			c = -c
		}
		if end {
			return c > 0
		}
		return c >= 0
	})
	return p.Start + at, failed
}
