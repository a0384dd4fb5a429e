package bridge

import (
	"errors"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// caster brings batches to the column types of a table, in strict mode. Columns
// that hold the same values already are passed on.
type caster struct {
	cols []columnCast
	out  columnar.Batch
}

type columnCast struct {
	same bool
	dec  *Decoder
	enc  *Encoder
	to   *columnar.Vector
}

func newCaster(b *columnar.Batch, fields []types.Field, loc *time.Location) (*caster, error) {
	if len(b.Cols) != len(fields) {
		return nil, errors.New("internal error: a batch has another number of columns than its table")
	}
	c := &caster{cols: make([]columnCast, len(fields))}
	for i, f := range fields {
		from := b.Cols[i].Type
		if sameValues(from, f.Type) {
			c.cols[i].same = true
			continue
		}
		enc := NewEncoder(f.Name, f.Type, loc)
		enc.from = hostType(from, false)
		c.cols[i] = columnCast{dec: NewDecoder(from, loc), enc: enc, to: columnar.NewVector(f.Type, columnar.BatchRows)}
	}
	return c, nil
}

// sameValues reports whether every value of from is one of to in the same form.
func sameValues(from, to types.Type) bool {
	if from.Kind == to.Kind && from.Text() && from.Kind == types.VarChar && from.Length <= to.Length {
		return true
	}
	if from.Kind == types.VarBinary && to.Kind == types.VarBinary && from.Length <= to.Length {
		return true
	}
	return from.SameValues(to) || !from.Nested() && from.WithNotNull(false).Equal(to.WithNotNull(false))
}

// batch is b with all columns in the table's types. It is valid until the next
// call and shares columns with b.
func (c *caster) batch(b *columnar.Batch) (*columnar.Batch, error) {
	c.out = columnar.Batch{N: b.N, Sel: b.Sel, Kinds: b.Kinds, Cols: c.out.Cols[:0]}
	for i := range c.cols {
		x := &c.cols[i]
		if x.same {
			c.out.Cols = append(c.out.Cols, b.Cols[i])
			continue
		}
		x.to.Reset()
		for slot := range b.N {
			if err := x.enc.Append(x.to, x.dec.Value(b.Cols[i], slot)); err != nil {
				if !liveSlot(b, slot) {
					x.to.AppendNull()
					continue
				}
				return nil, err
			}
		}
		c.out.Cols = append(c.out.Cols, x.to)
	}
	return &c.out, nil
}

// liveSlot reports whether a slot is selected; only asked on errors.
func liveSlot(b *columnar.Batch, slot int) bool {
	if b.Sel == nil {
		return true
	}
	for _, s := range b.Sel {
		if int(s) == slot {
			return true
		}
	}
	return false
}
