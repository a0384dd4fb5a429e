package manifest

import (
	"bytes"
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// describe works out what a manifest list says of a manifest with these entries,
// but for its name and size. There must be at least one entry.
func describe(partition []types.Type, entries []Entry) (FileMeta, error) {
	first := &entries[0]
	m := FileMeta{
		HasBuckets: true, MinBucket: first.Bucket, MaxBucket: first.Bucket,
		HasLevels: true, MinLevel: first.File.Level, MaxLevel: first.File.Level,
		MinRowID: datafile.Unknown, MaxRowID: datafile.Unknown,
	}
	rowIDs := true
	for i := range entries {
		e := &entries[i]
		if e.Kind == Add {
			m.NumAdded++
		} else {
			m.NumDeleted++
		}
		m.SchemaID = max(m.SchemaID, e.File.SchemaID)
		m.MinBucket, m.MaxBucket = min(m.MinBucket, e.Bucket), max(m.MaxBucket, e.Bucket)
		m.MinLevel, m.MaxLevel = min(m.MinLevel, e.File.Level), max(m.MaxLevel, e.File.Level)
		if e.File.FirstRowID == datafile.Unknown {
			rowIDs = false
			continue
		}
		last := e.File.FirstRowID + e.File.RowCount - 1
		if m.MinRowID == datafile.Unknown {
			m.MinRowID, m.MaxRowID = e.File.FirstRowID, last
		}
		m.MinRowID, m.MaxRowID = min(m.MinRowID, e.File.FirstRowID), max(m.MaxRowID, last)
	}
	if !rowIDs {
		m.MinRowID, m.MaxRowID = datafile.Unknown, datafile.Unknown
	}
	var err error
	m.Partitions, err = partitionBounds(partition, entries)
	return m, err
}

// partitionBounds computes the bounds of the entries' partition columns.
func partitionBounds(ts []types.Type, entries []Entry) (stats.Binary, error) {
	if len(ts) == 0 {
		return stats.Binary{}, nil
	}
	cols := make([]stats.Column, len(ts))
	var last []byte
	var vals []columnar.Value
	for i := range entries {
		// The null count counts entries; neighbours mostly share their partition.
		if last == nil || !bytes.Equal(last, entries[i].Partition) {
			last = entries[i].Partition
			var err error
			if vals, err = row.Deserialize(ts, last); err != nil {
				return stats.Binary{}, fmt.Errorf("partition of data file %s: %w", entries[i].File.Name, err)
			}
		}
		for k, v := range vals {
			c := &cols[k]
			switch {
			case v.Null:
				c.Nulls++
			case !c.HasBounds:
				c.Min, c.Max, c.HasBounds = v, v, true
			case columnar.Compare(ts[k], v, c.Min) < 0:
				c.Min = v
			case columnar.Compare(ts[k], v, c.Max) > 0:
				c.Max = v
			}
		}
	}
	return stats.Encode(ts, cols), nil
}
