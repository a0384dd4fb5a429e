package write

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
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
