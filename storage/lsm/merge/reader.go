package merge

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// MaxRuns is how many runs one tree merges: a pick has 8 bits for the run, and one
// number is the carry's. More are merged in a cascade.
const MaxRuns = columnar.MaxSources - 1

// Config says what to merge and what of it to return.
type Config struct {
	// Runs are the sorted runs, oldest first. All return the same columns, and
	// batches of no more than columnar.MaxPickRow slots. The Reader owns them.
	Runs []columnar.Reader
	// Types are the types of the columns of Runs.
	Types []types.Type
	// Key are the columns of the key, in key order.
	Key []int
	// Min and Max, if set, bound all keys of Runs, both included: the key ranges of
	// the files. They make string keys cheaper.
	Min, Max []columnar.Value
	// Output are the columns to return, of those of Runs; nil: all.
	Output []int
	// Versions orders the versions of a key.
	Versions VersionOrder
	// Function folds the versions of a key; nil: the newest wins.
	Function Function
	// DropDeletes leaves keys out whose result is a retraction. Else the result
	// carries its kind.
	DropDeletes bool
	// BatchRows is the most rows of a batch; 0: columnar.BatchRows. At most 65536.
	BatchRows int
}

// Reader returns the merged rows of sorted runs in key order, each key once. It is
// a columnar.Reader for one goroutine.
type Reader struct {
	c        Config
	order    *Order
	tree     *tree
	runs     []run
	sources  []*columnar.Batch // block of each run, then the carry
	keys     [][]*columnar.Vector
	out      *columnar.Batch
	outTypes []types.Type
	ready    []uint32 // winners still to be gathered
	newest   bool     // the tree keeps the last pick of a key only
	state    state
	err      error // sticky
	// refillRun is the run whose block is used up, or -1.
	refillRun int
	rows      []int32 // scratch of carry
	starts    []int32 // scratch of resolve
	vectors   []*columnar.Vector
}

type state uint8

const (
	fresh state = iota
	running
	ending // the tree is empty; winners may be left
)

// run is one input of the tree and its current block.
type run struct {
	r        columnar.Reader
	prefixes Prefixes
	bytes    int64 // of the block
}

var _ columnar.Reader = (*Reader)(nil)

// NewReader returns the merge of c.Runs as a reader that owns them: also when it
// fails, they are closed. A single run without a Function is passed through, more
// than MaxRuns are merged in a cascade, of which the outermost part is returned.
func NewReader(c Config) (columnar.Reader, error) {
	r, err := newReader(c)
	if err != nil {
		for _, in := range c.Runs {
			err = errors.Join(err, in.Close())
		}
		return nil, err
	}
	return r, nil
}

func newReader(c Config) (columnar.Reader, error) {
	if c.BatchRows <= 0 {
		c.BatchRows = columnar.BatchRows
	}
	if c.BatchRows > 1<<16 {
		return nil, fmt.Errorf("merge: batches of %d rows", c.BatchRows)
	}
	order, err := c.check()
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	if c.Output == nil {
		c.Output = make([]int, len(c.Types))
		for i := range c.Output {
			c.Output[i] = i
		}
	}
	if len(c.Runs) == 0 {
		return empty{}, nil
	}
	if len(c.Runs) == 1 && c.Function == nil {
		return &passing{r: c.Runs[0], output: c.Output, drop: c.DropDeletes}, nil
	}
	if len(c.Runs) > MaxRuns {
		if c.Runs, err = cascade(c); err != nil {
			return nil, err
		}
		// Inner merges return rows of a key in the order of versions, but the numbers
		// of different ones may still overlap: the outer order stays what it was.
	}
	return build(c, order.Within(c.Min, c.Max)), nil
}

func (c *Config) check() (*Order, error) {
	col := func(what string, i int) error {
		if i < 0 || i >= len(c.Types) {
			return fmt.Errorf("%s: no column %d among %d", what, i, len(c.Types))
		}
		return nil
	}
	var errs []error
	kt := make([]types.Type, 0, len(c.Key))
	for _, k := range c.Key {
		if err := col("key", k); err != nil {
			errs = append(errs, err)
			continue
		}
		kt = append(kt, c.Types[k])
	}
	for _, f := range c.Versions.Fields {
		if err := col("sequence field", f); err != nil {
			errs = append(errs, err)
		} else if c.Types[f].Nested() {
			errs = append(errs, fmt.Errorf("sequence field of nested type %v", c.Types[f].Kind))
		}
	}
	for _, o := range c.Output {
		errs = append(errs, col("output", o))
	}
	if !c.Versions.ByAge {
		if err := col("sequence number", c.Versions.Number); err != nil {
			errs = append(errs, err)
		} else if c.Types[c.Versions.Number].Kind != types.BigInt {
			errs = append(errs, fmt.Errorf("sequence number of type %v", c.Types[c.Versions.Number].Kind))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return NewOrder(kt)
}

func build(c Config, order *Order) *Reader {
	n := len(c.Runs)
	m := &Reader{
		c: c, order: order, tree: newTree(n, order), runs: make([]run, n),
		sources: make([]*columnar.Batch, n+1), keys: make([][]*columnar.Vector, n+1),
		newest: c.Function == nil && c.Versions.none(), refillRun: -1,
	}
	for i, r := range c.Runs {
		m.runs[i].r = r
	}
	for _, o := range c.Output {
		m.outTypes = append(m.outTypes, c.Types[o])
	}
	m.out = columnar.NewBatch(m.outTypes, c.BatchRows)
	m.setSource(n, columnar.NewBatch(c.Types, 0))
	m.tree.compare = func(a uint64, i int, b uint64, j int) int {
		return m.order.Compare(m.keys[a], i, m.keys[b], j)
	}
	return m
}

func (m *Reader) setSource(i int, b *columnar.Batch) {
	m.sources[i] = b
	if m.keys[i] == nil {
		m.keys[i] = make([]*columnar.Vector, len(m.c.Key))
	}
	for k, c := range m.c.Key {
		m.keys[i][k] = nil
		if b != nil {
			m.keys[i][k] = b.Cols[c]
		}
	}
}

// Next returns the next batch, valid until the call after, or io.EOF.
func (m *Reader) Next(ctx context.Context) (*columnar.Batch, error) {
	if m.err != nil {
		return nil, m.err
	}
	b, err := m.next(ctx)
	if err != nil {
		m.err = err
		return nil, err
	}
	return b, nil
}

func (m *Reader) next(ctx context.Context) (*columnar.Batch, error) {
	if m.state == fresh {
		if err := m.start(ctx); err != nil {
			return nil, err
		}
	}
	m.out.Reset()
	for {
		full := m.drain()
		if full || m.state == ending {
			if m.finishBatch() {
				return m.out, nil
			}
			if m.state == ending && len(m.ready) == 0 {
				return nil, io.EOF
			}
			m.out.Reset()
			continue
		}
		// All winners are gathered, so the used up block may go.
		if m.refillRun >= 0 {
			if err := m.refill(ctx); err != nil {
				return nil, err
			}
		}
		if err := m.step(); err != nil {
			return nil, err
		}
	}
}

func (m *Reader) start(ctx context.Context) error {
	for i := range m.runs {
		if err := m.load(ctx, i); err != nil {
			return err
		}
	}
	m.tree.build()
	m.state = running
	return nil
}

// step runs the tree until a block is used up or a batch is full, and resolves the
// keys that are complete by then.
func (m *Reader) step() error {
	t := m.tree
	got := t.fill(m.c.BatchRows-m.out.N+len(t.picks), m.newest)
	groups := len(t.starts)
	switch {
	case got == finished:
		m.state = ending
	case groups > 0:
		groups-- // the last key may go on
	}
	if got >= 0 {
		m.refillRun = got
	}
	if groups == 0 {
		return nil
	}
	picks := len(t.picks)
	if groups < len(t.starts) {
		picks = int(t.starts[groups])
	}
	err := m.resolve(t.picks[:picks], t.starts[:groups])
	t.settle(picks, groups)
	return err
}

// resolve finds the result of complete keys: winners to gather, or rows that the
// merge function has put out.
func (m *Reader) resolve(picks []uint32, starts []int32) error {
	if m.newest {
		m.ready = append(m.ready[:0], picks...)
		m.dropDeletes()
		return nil
	}
	m.starts = append(append(m.starts[:0], starts...), int32(len(picks)))
	g := Groups{m.sources, picks, m.starts}
	if m.c.Function != nil {
		return g.Fold(m.out, &m.c.Versions, m.c.Function, m.c.Output)
	}
	m.ready = g.newest(m.ready[:0], &m.c.Versions)
	m.dropDeletes()
	return nil
}

// refill gives the run whose block is used up its next one. Rows of the open key
// that lie in the block move to the carry before.
func (m *Reader) refill(ctx context.Context) error {
	r := m.refillRun
	m.refillRun = -1
	m.carry(r)
	if err := m.load(ctx, r); err != nil {
		return err
	}
	m.tree.next()
	return nil
}

// carry copies the open key's rows in the block of run r.
func (m *Reader) carry(r int) {
	at := uint32(len(m.runs))
	c := m.sources[at]
	used := false
	m.rows = m.rows[:0]
	for _, p := range m.tree.picks {
		switch p >> pickShift {
		case at:
			used = true
		case uint32(r):
			m.rows = append(m.rows, int32(p&pickMask))
		}
	}
	if len(m.rows) == 0 {
		return
	}
	if !used {
		c.Reset()
	}
	next := at<<pickShift | uint32(c.N)
	c.AppendSlots(m.sources[r], m.rows)
	for i, p := range m.tree.picks {
		if p>>pickShift == uint32(r) {
			m.tree.picks[i] = next
			next++
		}
	}
}

// load fetches the next block of run r; at its end the run's reader is closed.
func (m *Reader) load(ctx context.Context, r int) error {
	in := &m.runs[r]
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := in.r.Next(ctx)
		if err == io.EOF {
			in.bytes = 0
			m.setSource(r, nil)
			m.tree.setBlock(r, nil)
			return in.close()
		}
		if err != nil {
			return err
		}
		if b.Rows() == 0 {
			continue
		}
		if b, err = m.plain(b); err != nil {
			return err
		}
		m.setSource(r, b)
		if err := m.order.Prefixes(&in.prefixes, m.keys[r], b.N); err != nil {
			return err
		}
		in.bytes = b.SizeBytes()
		m.tree.setBlock(r, &in.prefixes)
		return nil
	}
}

// plain checks a block and returns it without a selection and dictionaries.
func (m *Reader) plain(b *columnar.Batch) (*columnar.Batch, error) {
	if len(b.Cols) != len(m.c.Types) {
		return nil, fmt.Errorf("merge: batch of %d columns, want %d", len(b.Cols), len(m.c.Types))
	}
	if b.N > columnar.MaxPickRow {
		return nil, fmt.Errorf("merge: batch of %d rows", b.N)
	}
	copied := b.Sel != nil
	for _, c := range b.Cols {
		copied = copied || c.Dict != nil
	}
	if copied {
		return b.Clone(), nil
	}
	return b, nil
}

func (in *run) close() error {
	if in.r == nil {
		return nil
	}
	r := in.r
	in.r = nil
	return r.Close()
}

// Close closes all runs. Rows returned before are no longer valid.
func (m *Reader) Close() error {
	var errs []error
	for i := range m.runs {
		errs = append(errs, m.runs[i].close())
	}
	m.err = errClosed
	return errors.Join(errs...)
}

var errClosed = errors.New("merge: reader is closed")
