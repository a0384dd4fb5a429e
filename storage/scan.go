package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/scan"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// ScanOptions say what of a view to read.
type ScanOptions struct {
	// Columns are the wanted columns, as indexes of Schema().Fields, in the order in
	// which they come back. It may be empty: batches then have rows but no columns.
	Columns []int
	// Filter prunes what cannot match; its columns are indexes of Schema().Fields.
	// Rows that do not match may come back: filter again.
	Filter *predicate.Node
	// Pending shows what the table would hold after a write that is not committed yet.
	Pending *Write
	// ReadOptimized reads the files of the highest level alone (t$ro).
	ReadOptimized bool
}

// ScanReport tells what planning pruned.
type ScanReport = scan.Report

// Split is files that one reader reads together.
type Split = scan.Split

// Scan is a planned read of a view. It is immutable; readers of several splits may
// be used at the same time.
type Scan struct {
	view    *View
	plan    *scan.Plan
	reading *scan.Reading
}

// Scan plans a read: it reads manifests, no data file.
func (v *View) Scan(ctx context.Context, o ScanOptions) (*Scan, error) {
	c := v.scanConfig()
	r := scan.Request{
		Snapshot: v.snap, Filter: o.Filter, DeltaOnly: v.part.deltaOnly, CreatedSinceMillis: v.part.createdSinceMillis,
		TopLevelOnly: o.ReadOptimized && v.schema.HasPrimaryKey(),
	}
	if o.Pending != nil {
		p, err := o.Pending.pendingFiles(ctx)
		if err != nil {
			return nil, fmt.Errorf("scan table %s: read rows that are not committed: %w", v.t.Name(), err)
		}
		r.Pending, r.Gone = p.entries(), p.gone
	}
	plan, err := scan.Make(ctx, c, r)
	if err != nil {
		return nil, fmt.Errorf("scan table %s: %w", v.t.Name(), v.expired(ctx, err))
	}
	reading, err := scan.NewReading(c, o.Columns, o.Filter)
	if err != nil {
		return nil, fmt.Errorf("scan table %s: %w", v.t.Name(), err)
	}
	return &Scan{view: v, plan: plan, reading: reading}, nil
}

func (v *View) scanConfig() scan.Config {
	return scan.Config{
		Read: datafile.ReadConfig{
			Store: v.t.env.Store, Paths: v.layout.Paths(), Formats: v.t.env.formats, Schemas: v.t.schemas, Schema: v.schema,
		},
		Manifests: v.t.manifests, Options: v.opts,
	}
}

// Splits are the parts of the scan, which may be read in any order.
func (s *Scan) Splits() []Split { return s.plan.Splits }

// Report tells what planning pruned.
func (s *Scan) Report() ScanReport { return s.plan.Report }

// Open returns the rows of one split. The file it begins with is opened at the
// first Next.
func (s *Scan) Open(_ context.Context, split int) (columnar.Reader, error) {
	return &pinnedReader{s.view, s.reading.Open(&s.plan.Splits[split])}, nil
}

// Reader returns the rows of all splits, one after the other.
func (s *Scan) Reader() columnar.Reader { return &allSplits{s: s} }

type allSplits struct {
	s    *Scan
	next int
	at   columnar.Reader
}

func (r *allSplits) Next(ctx context.Context) (*columnar.Batch, error) {
	for {
		if r.at == nil {
			if r.next == len(r.s.plan.Splits) {
				return nil, io.EOF
			}
			r.at = &pinnedReader{r.s.view, r.s.reading.Open(&r.s.plan.Splits[r.next])}
			r.next++
		}
		b, err := r.at.Next(ctx)
		if err != io.EOF {
			return b, err
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
}

func (r *allSplits) Close() error {
	if r.at == nil {
		return nil
	}
	err := r.at.Close()
	r.at = nil
	return err
}

// pinnedReader tells files that are missing from those that went with the snapshot.
type pinnedReader struct {
	v *View
	columnar.Reader
}

func (r *pinnedReader) Next(ctx context.Context) (*columnar.Batch, error) {
	b, err := r.Reader.Next(ctx)
	if err != nil && err != io.EOF {
		err = r.v.expired(ctx, err)
	}
	return b, err
}

// expired says that the view's snapshot has expired where a file is missing for
// that reason: another process does not see the pins of this one.
func (v *View) expired(ctx context.Context, err error) error {
	if v.snap == nil || !errors.Is(err, fileio.ErrNotFound) || errors.Is(err, snapshot.ErrExpired) {
		return err
	}
	if there, lookErr := v.t.snapshots.Exists(ctx, v.snap.ID); lookErr != nil || there {
		return err
	}
	return fmt.Errorf("table %s: snapshot %d while it was read: %w", v.t.Name(), v.snap.ID, snapshot.ErrExpired)
}

// RowCount is the number of rows of the view. exact is false when only merging
// would tell: the count is then that of physical rows, an upper bound.
func (v *View) RowCount(ctx context.Context) (rows int64, exact bool, err error) {
	if v.snap == nil {
		return 0, true, nil
	}
	plan, err := scan.Make(ctx, v.scanConfig(), scan.Request{Snapshot: v.snap, DeltaOnly: v.part.deltaOnly, CreatedSinceMillis: v.part.createdSinceMillis})
	if err != nil {
		return 0, false, err
	}
	return plan.Report.Rows, plan.Report.MergedSplits == 0, nil
}

// copyRows writes all rows of r.
func copyRows(ctx context.Context, r columnar.Reader, w *datafile.Writer) error {
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
