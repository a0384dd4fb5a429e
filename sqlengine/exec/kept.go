package exec

import (
	"context"
	"errors"
	"io"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
)

// Kept is the input of a part of a plan that a statement may run again and again.
// The first run keeps nothing, since it may be the only one, and may end early. The
// second reads the input whole and keeps its batches, which all that follow share.
//
// Rows that do not fit in memory are not kept, and every run reads them anew. So
// that the operators around it have room, Kept takes memory while no more than half
// of the budget is in use. It belongs to one goroutine.
type Kept struct {
	open   func(context.Context) (columnar.Reader, error)
	budget *membudget.Budget
	mem    *membudget.Holder

	runs    int
	bytes   int64
	batches []*columnar.Batch
	state   keptState
}

type keptState int

const (
	keptNothing keptState = iota
	keptAll
	keptNever // too much
)

// NewKept returns the input that open reads. Memory is reserved in budget.
func NewKept(open func(context.Context) (columnar.Reader, error), budget *membudget.Budget) *Kept {
	return &Kept{open: open, budget: budget, mem: budget.Holder("rows that are read again")}
}

// Run begins a run. It returns all batches of the input, to be read with Replay; ok is
// false when this run has to read the input itself.
func (k *Kept) Run(ctx context.Context) (list []*columnar.Batch, ok bool, err error) {
	if k.runs++; k.runs > 1 && k.state == keptNothing {
		if err := k.load(ctx); err != nil {
			return nil, false, err
		}
	}
	return k.batches, k.state == keptAll, nil
}

// Close gives up what is kept. Runs that go on are not disturbed.
func (k *Kept) Close() {
	k.mem.Close()
	k.batches, k.state = nil, keptNever
}

// load reads all, as far as it fits.
func (k *Kept) load(ctx context.Context) (err error) {
	r, err := k.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var list []*columnar.Batch
	k.bytes = 0
	for {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			k.batches, k.state = list, keptAll
			return nil
		}
		if err != nil {
			k.mem.Close()
			return err
		}
		if b.Rows() == 0 {
			continue
		}
		c := b.Clone()
		if !k.fits(c.SizeBytes()) {
			k.Close()
			return nil
		}
		list = append(list, c)
	}
}

// fits reserves memory for what has been read.
func (k *Kept) fits(bytes int64) bool {
	k.bytes += bytes
	if limit := k.budget.Limit(); limit > 0 && max(k.bytes, k.budget.Used()) > limit/2 {
		return false
	}
	return k.mem.To(k.bytes) == nil
}

// Replay returns a reader of batches that stay as they are.
func Replay(list []*columnar.Batch) columnar.Reader { return &replay{list: list} }

type replay struct {
	list []*columnar.Batch
	out  columnar.Batch
}

// Next implements columnar.Reader.
func (r *replay) Next(ctx context.Context) (*columnar.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(r.list) == 0 {
		return nil, io.EOF
	}
	r.out = *r.list[0]
	r.list = r.list[1:]
	return &r.out, nil
}

// Close implements columnar.Reader.
func (r *replay) Close() error {
	r.list = nil
	return nil
}
