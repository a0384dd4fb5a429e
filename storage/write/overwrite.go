package write

import (
	"context"
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

// request is what the commit is asked to replace.
func (o *Overwrite) request(l *Layout) *commit.Overwrite {
	if o.Dynamic {
		return &commit.Overwrite{Dynamic: true}
	}
	if len(o.Partition) == 0 {
		return &commit.Overwrite{}
	}
	return &commit.Overwrite{Matches: func(partition []byte) bool { return o.Covers(l, partition) }}
}

// Covers reports whether the partition with this serialised row is among those
// that Partition names; also when the row cannot be read, so that an error shows.
func (o *Overwrite) Covers(l *Layout, partition []byte) bool {
	ok, err := o.matches(l, partition)
	return ok || err != nil
}

// matches reports whether a partition has the values of the specification.
func (o *Overwrite) matches(l *Layout, partition []byte) (bool, error) {
	vals, err := row.Deserialize(l.Schema.PartitionTypes(), partition)
	if err != nil {
		return false, fmt.Errorf("decode partition: %w", err)
	}
	for i, name := range l.Schema.PartitionKeys {
		want, ok := o.Partition[name]
		if ok && columnar.Compare(types.FieldTypes(l.Schema.FieldsOf(l.partition))[i], vals[i], want) != 0 {
			return false, nil
		}
	}
	return true, nil
}

// replaces refuses a statement whose partitions hold other files than it replaces.
func (g *group) replaces(ctx context.Context, live commit.LiveReader) error {
	st := g.tickets[0].st
	if !g.overwrite || st.Replaces == nil {
		return nil
	}
	have, err := live.Live(ctx, manifest.Filter{Partition: func(p []byte) bool { return st.Overwrite.Covers(g.layout, p) }})
	if err != nil {
		return err
	}
	if len(have) != len(st.Replaces) {
		return ErrConflict
	}
	for _, e := range have {
		if !st.Replaces[e.File.Name] {
			return ErrConflict
		}
	}
	return nil
}
