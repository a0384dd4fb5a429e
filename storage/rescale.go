package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/write"
)

// ErrNotFixed is returned by Rescale for a table whose number of buckets is not fixed.
var ErrNotFixed = errors.New("the table has no fixed number of buckets")

// RescaleOptions say what to rescale.
type RescaleOptions struct {
	// Buckets is the new number of buckets; 0 is what the table's option bucket says.
	Buckets int
	// Partition has the values of some partition columns by name; nil: all partitions.
	Partition map[string]columnar.Value
}

// Rescale gives partitions of a table with a fixed number of buckets another number,
// by an overwrite with their own rows. Readers go on meanwhile; when another commit
// changes the partitions it begins anew, ErrWriteConflict when that goes on. The
// option bucket follows when the whole table is rescaled. The snapshot is nil when
// all files have this number of buckets already.
func (t *Table) Rescale(ctx context.Context, o RescaleOptions) (*snapshot.Snapshot, error) {
	var snap *snapshot.Snapshot
	var err error
	for range compactAttempts {
		if snap, err = t.rescaleOnce(ctx, o); !errors.Is(err, ErrWriteConflict) {
			break
		}
	}
	if err == nil && len(o.Partition) == 0 {
		err = t.setBuckets(ctx, o.Buckets)
	}
	if err != nil {
		return nil, fmt.Errorf("rescale table %s: %w", t.Name(), err)
	}
	return snap, nil
}

// setBuckets makes the option bucket n, unless it is so or n is 0.
func (t *Table) setBuckets(ctx context.Context, n int) error {
	s, err := t.Schema(ctx)
	if err != nil {
		return err
	}
	have, err := s.Table()
	if err != nil || n == 0 || n == have.Bucket.Count {
		return err
	}
	_, err = t.Alter(ctx, []schema.Change{schema.SetOption{Key: "bucket", Value: strconv.Itoa(n)}})
	return err
}

func (t *Table) rescaleOnce(ctx context.Context, o RescaleOptions) (*snapshot.Snapshot, error) {
	v, err := t.View(ctx, ViewOptions{})
	if err != nil {
		return nil, err
	}
	defer v.Close()
	if v.layout.Mode != schema.Fixed {
		return nil, ErrNotFixed
	}
	if o.Buckets == 0 {
		o.Buckets = v.layout.Options.Bucket.Count
	}
	rescaled := *v
	if rescaled.layout, err = t.layoutWith(v.schema, o.Buckets); err != nil {
		return nil, err
	}
	w := rescaled.Write(WriteOptions{Overwrite: &Overwrite{Partition: o.Partition}})
	w.hasDefs = false // rows stay as they are
	if w.err != nil || v.snap == nil {
		return nil, w.err
	}
	wrong := false
	if w.st.Replaces, wrong, err = v.filesOf(ctx, o); err != nil || !wrong {
		return nil, err
	}
	if err := v.copyInto(ctx, w, o.Partition); err != nil {
		w.Abort()
		return nil, err
	}
	res, err := w.Commit(ctx)
	if err != nil || len(res.Snapshots) == 0 {
		return nil, err
	}
	return res.Snapshots[len(res.Snapshots)-1], nil
}

// layoutWith is the layout of a schema with another number of buckets.
func (t *Table) layoutWith(s *schema.Schema, buckets int) (*write.Layout, error) {
	other := *s
	other.Options = maps.Clone(s.Options)
	if other.Options == nil {
		other.Options = map[string]string{}
	}
	other.Options["bucket"] = strconv.Itoa(buckets)
	l, err := t.newLayout(&other)
	if err != nil {
		return nil, err
	}
	if l.Mode != schema.Fixed {
		return nil, ErrNotFixed
	}
	l.Schema = s // the table's own, by which it is known
	return l, nil
}

// filesOf are the names of the files of the partitions, and whether one is of
// another number of buckets.
func (v *View) filesOf(ctx context.Context, o RescaleOptions) (names map[string]bool, wrong bool, err error) {
	spec := write.Overwrite{Partition: o.Partition}
	live, err := v.t.manifests.ReadLive(ctx, v.snap, manifest.Filter{
		Partition: func(p []byte) bool { return spec.Covers(v.layout, p) },
	})
	if err != nil {
		return nil, false, err
	}
	names = map[string]bool{}
	for _, e := range live {
		names[e.File.Name] = true
		wrong = wrong || e.TotalBuckets != o.Buckets
	}
	return names, wrong, nil
}

// copyInto adds the rows of the partitions to w.
func (v *View) copyInto(ctx context.Context, w *Write, partition map[string]columnar.Value) (err error) {
	cols := make([]int, len(v.schema.Fields))
	for i := range cols {
		cols[i] = i
	}
	var where []*predicate.Node
	for name, val := range partition {
		i := schema.FieldIndex(v.schema.Fields, name)
		if i < 0 {
			return fmt.Errorf("there is no column '%s'", name)
		}
		if val.Null {
			where = append(where, predicate.IsNull(i, v.schema.Fields[i].Type))
		} else {
			where = append(where, predicate.Eq(i, v.schema.Fields[i].Type, val))
		}
	}
	o := ScanOptions{Columns: cols}
	var rows *predicate.Filter
	var sel []uint16
	if len(where) > 0 {
		o.Filter = predicate.And(where...)
		rows = predicate.NewFilter(o.Filter)
	}
	s, err := v.Scan(ctx, o)
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
		if rows != nil {
			b.Sel = rows.Select(b, sel)
		}
		if err := w.Add(ctx, b); err != nil {
			return err
		}
	}
}
