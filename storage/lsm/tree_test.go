package lsm

import (
	"context"
	"errors"
	"slices"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/compact"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/lsm/memtable"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/types"
)

// tree is a Bucket that takes rows too, as write makes them, and is read merged, as
// scan does.
type tree struct {
	*Bucket
	mem      *memtable.Table
	limit    int64 // size at which the memtable is flushed; 0: its budget decides
	next     int64 // sequence number of the next row
	newFiles []*datafile.Meta
}

func openTree(c Config, budget *membudget.Budget, limit int64) (*tree, error) {
	b, err := Open(c)
	if err != nil {
		return nil, err
	}
	m, err := memtable.New(memtable.Config{
		Types: c.Types, Key: c.Key, SequenceFields: c.SequenceFields, Descending: c.Descending, Function: c.Function, Budget: budget,
	})
	return &tree{Bucket: b, mem: m, limit: limit, next: b.levels.MaxSequence() + 1}, err
}

func (x *tree) write(ctx context.Context, rows *columnar.Batch) error {
	err := x.mem.Append(rows, x.next)
	if errors.Is(err, memtable.ErrFull) {
		if err = x.flush(ctx); err == nil {
			err = x.mem.Append(rows, x.next)
		}
	}
	if err != nil {
		return err
	}
	x.next += int64(rows.Rows())
	if x.limit > 0 && x.mem.SizeBytes() >= x.limit {
		return x.flush(ctx)
	}
	return nil
}

// flush writes the rows in memory to files of level 0.
func (x *tree) flush(ctx context.Context) error {
	if x.mem.Rows() == 0 {
		return nil
	}
	w, err := x.c.Files.Create(0, datafile.FromAppend)
	if err != nil {
		return err
	}
	err = x.mem.Flush(func(rows *columnar.Batch) error { return w.Write(ctx, rows) })
	var made []*datafile.Meta
	if err == nil {
		made, err = w.Finish(ctx)
	}
	var levels *level.Levels
	if err == nil {
		levels, err = x.levels.Apply(nil, made)
	}
	if err != nil {
		return errors.Join(err, w.Abort(ctx))
	}
	x.levels, x.newFiles = levels, append(x.newFiles, made...)
	x.mem.Reset()
	return nil
}

func (x *tree) compact(ctx context.Context) error {
	if err := x.flush(ctx); err != nil {
		return err
	}
	return x.Compact(ctx)
}

func (x *tree) compactPicked(ctx context.Context, p compact.Policy) error {
	if err := x.flush(ctx); err != nil {
		return err
	}
	return x.CompactPicked(ctx, p)
}

func (x *tree) increment() datafile.Increment {
	inc := x.Increment()
	inc.NewFiles, x.newFiles = x.newFiles, nil
	return inc
}

// abort drops rows and files that were not handed over.
func (x *tree) abort(ctx context.Context) error {
	var errs []error
	for _, m := range x.newFiles {
		// A compaction may have moved it; then it is not there twice.
		if i := slices.IndexFunc(x.after, func(a *datafile.Meta) bool { return a.Name == m.Name }); i >= 0 {
			x.after = slices.Delete(x.after, i, i+1)
		}
		errs = append(errs, x.c.Files.Delete(ctx, m))
	}
	x.newFiles = nil
	x.mem.Close()
	return errors.Join(append(errs, x.Abort(ctx))...)
}

// read returns columns of the merged rows of all files; behind those of the table is
// the sequence number.
func (x *tree) read(output ...int) columnar.Reader {
	c := x.c
	var parts []merge.OpenFunc
	for _, s := range level.Sections(x.levels.KeyTypes(), x.levels.Files()) {
		mc := merge.Config{
			Types: append(slices.Clone(c.Types), types.Of(types.BigInt).WithNotNull(true)), Key: c.Key, Min: s.Min, Max: s.Max, Output: output,
			Versions:    merge.VersionOrder{Fields: c.SequenceFields, Descending: c.Descending, Number: len(c.Types), ByAge: level.ByAge(s.Runs)},
			Function:    c.Function,
			DropDeletes: true,
		}
		for _, r := range s.Runs {
			var files []merge.OpenFunc
			for _, f := range r.Files {
				files = append(files, func(ctx context.Context) (columnar.Reader, error) { return c.Files.Open(ctx, f.Meta) })
			}
			mc.Runs = append(mc.Runs, merge.Concat(files...))
		}
		parts = append(parts, func(context.Context) (columnar.Reader, error) { return merge.NewReader(mc) })
	}
	return merge.Concat(parts...)
}
