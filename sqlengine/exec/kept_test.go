package exec

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// opened counts how often an input is opened. It has three batches of a thousand rows,
// in memory that is used again.
type opened struct {
	times, at int
	fail      error
	batch     *columnar.Batch
}

func (o *opened) open(context.Context) (columnar.Reader, error) {
	o.times++
	o.at = 0
	o.batch = columnar.NewBatch([]types.Type{{Kind: types.Int}}, 1000)
	return o, nil
}

func (o *opened) Next(context.Context) (*columnar.Batch, error) {
	if o.at == 3 {
		return nil, io.EOF
	}
	if o.at == 2 && o.fail != nil {
		return nil, o.fail
	}
	o.batch.Reset()
	v := o.batch.Cols[0]
	for i := range 1000 {
		v.I32 = append(v.I32, int32(o.at*1000+i))
	}
	v.N, o.batch.N = 1000, 1000
	o.at++
	return o.batch, nil
}

func (o *opened) Close() error { return nil }

func TestKeptReadsOnceForAllRunsButTheFirst(t *testing.T) {
	in := &opened{}
	b := membudget.New(1 << 20)
	k := NewKept(in.open, b)
	if _, ok, err := k.Run(t.Context()); ok || err != nil {
		t.Fatalf("the first run: %v, %v", ok, err)
	}
	for range 3 {
		list, ok, err := k.Run(t.Context())
		if !ok || err != nil {
			t.Fatalf("a later run: %v, %v", ok, err)
		}
		r, next := Replay(list), int32(0)
		for {
			batch, err := r.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range batch.Cols[0].I32 {
				if n != next {
					t.Fatalf("row %d is %d", next, n)
				}
				next++
			}
		}
		if next != 3000 {
			t.Fatalf("%d rows", next)
		}
	}
	if in.times != 1 {
		t.Errorf("opened %d times", in.times)
	}
	if b.Used() == 0 {
		t.Error("no memory is counted")
	}
	k.Close()
	if b.Used() != 0 {
		t.Errorf("%d bytes after Close", b.Used())
	}
}

func TestKeptTakesHalfOfTheBudget(t *testing.T) {
	in := &opened{}
	b := membudget.New(20_000) // the rows take 12,000
	k := NewKept(in.open, b)
	for range 3 {
		if _, ok, err := k.Run(t.Context()); ok || err != nil {
			t.Fatalf("%v, %v", ok, err)
		}
	}
	if in.times != 1 || b.Used() != 0 {
		t.Errorf("opened %d times, %d bytes", in.times, b.Used())
	}
}

func TestKeptFails(t *testing.T) {
	broken := errors.New("broken")
	in := &opened{fail: broken}
	b := membudget.New(1 << 20)
	k := NewKept(in.open, b)
	if _, _, err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := k.Run(t.Context()); ok || !errors.Is(err, broken) {
		t.Fatalf("%v, %v", ok, err)
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes after an error", b.Used())
	}
	in.fail = nil
	if list, ok, err := k.Run(t.Context()); !ok || err != nil || len(list) != 3 {
		t.Fatalf("%d batches, %v, %v", len(list), ok, err)
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Replay([]*columnar.Batch{{}}).Next(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
