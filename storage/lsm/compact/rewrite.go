package compact

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/types"
)

// Writer writes rows in key order, each key once, into files: a datafile.Writer.
// Batches have the table's columns, then the sequence number; and row kinds.
type Writer interface {
	// Write appends the live rows of b and keeps nothing of it.
	Write(ctx context.Context, b *columnar.Batch) error
	// Finish ends the last file and returns the metadata of all, in key order.
	Finish(ctx context.Context) ([]*datafile.Meta, error)
	// Abort removes all files, also those that Finish returned.
	Abort(ctx context.Context) error
}

// Files reads and writes the data files of a bucket.
type Files interface {
	// Open reads a file: the table's columns, then the sequence number; and row
	// kinds, nil when there is none but +I. Batches hold no more than 65536 rows.
	Open(ctx context.Context, m *datafile.Meta) (columnar.Reader, error)
	// Create prepares to write files of a level.
	Create(level int, source datafile.Source) (Writer, error)
}

// Rewriter carries compactions of a bucket out.
type Rewriter struct {
	Files Files
	// Types are the types of the table's columns; Key are those of the key.
	Types []types.Type
	Key   []int
	// SequenceFields and Descending are the table's sequence.field.
	SequenceFields []int
	Descending     bool
	// Function folds the versions of a key; nil: the newest wins.
	Function merge.Function
	// SmallBytes is the size below which a file is written anew with its neighbours.
	SmallBytes int64
}

// Result is the files that a compaction replaced and made. Before has each file's
// metadata as it was read; a moved file is in both, at its two levels.
type Result struct {
	Before, After []*datafile.Meta
	writers       []Writer
}

// Abort removes the files that were made; the result must not be used after it.
func (r *Result) Abort(ctx context.Context) error {
	var errs []error
	for _, w := range r.writers {
		errs = append(errs, w.Abort(ctx))
	}
	r.writers = nil
	return errors.Join(errs...)
}

// Run compacts a unit of l. After an error no file that it made is left.
func (c *Rewriter) Run(ctx context.Context, l *level.Levels, u *Unit) (*Result, error) {
	res := &Result{}
	for _, s := range Plan(l, u, c.SmallBytes) {
		if s.Move != nil {
			m := *s.Move.Meta
			m.Level = u.OutputLevel
			res.Before, res.After = append(res.Before, s.Move.Meta), append(res.After, &m)
			continue
		}
		if err := c.rewrite(ctx, u, s.Rewrite, res); err != nil {
			return nil, errors.Join(fmt.Errorf("compact to level %d: %w", u.OutputLevel, err), res.Abort(context.WithoutCancel(ctx)))
		}
	}
	return res, nil
}

// rewrite merges sections, which follow one another in key order, into new files.
func (c *Rewriter) rewrite(ctx context.Context, u *Unit, sections []level.Section, res *Result) error {
	w, err := c.Files.Create(u.OutputLevel, datafile.FromCompact)
	if err != nil {
		return err
	}
	res.writers = append(res.writers, w)
	for i := range sections {
		for _, f := range sections[i].Files() {
			res.Before = append(res.Before, f.Meta)
		}
		if err := c.section(ctx, u, &sections[i], w); err != nil {
			return err
		}
	}
	made, err := w.Finish(ctx)
	if err != nil {
		return err
	}
	res.After = append(res.After, made...)
	return nil
}

func (c *Rewriter) section(ctx context.Context, u *Unit, s *level.Section, w Writer) (err error) {
	r, err := c.read(s, u.DropDeletes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.Write(ctx, b); err != nil {
			return err
		}
	}
}

// rewriteRows is how many rows go to the writer at once.
const rewriteRows = 8192

// read returns a section merged: the columns of the table, and behind them the sequence
// number.
func (c *Rewriter) read(s *level.Section, dropDeletes bool) (columnar.Reader, error) {
	byAge := level.ByAge(s.Runs)
	mc := merge.Config{
		Types: append(c.Types[:len(c.Types):len(c.Types)], types.Of(types.BigInt).WithNotNull(true)),
		Key:   c.Key, Min: s.Min, Max: s.Max,
		Versions:    merge.VersionOrder{Fields: c.SequenceFields, Descending: c.Descending, Number: len(c.Types), ByAge: byAge},
		Function:    c.Function,
		DropDeletes: dropDeletes,
		BatchRows:   rewriteRows,
	}
	for _, r := range s.Runs {
		var files []merge.OpenFunc
		for _, f := range r.Files {
			files = append(files, func(ctx context.Context) (columnar.Reader, error) { return c.Files.Open(ctx, f.Meta) })
		}
		mc.Runs = append(mc.Runs, merge.Concat(files...))
	}
	return merge.NewReader(mc)
}
