package commit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

// maxNamed bounds how many files an error message names.
const maxNamed = 5

// checkDelta refuses a delta that contradicts itself, whatever the table holds.
// It is a fault of the caller, not a conflict.
func checkDelta(delta []manifest.Entry) error {
	adds, deletes := byKind(delta)
	if e := manifest.Twice(adds); e != nil {
		return fmt.Errorf("commit adds data file %s twice", e.File.Name)
	}
	if e := manifest.Twice(deletes); e != nil {
		return fmt.Errorf("commit deletes data file %s twice", e.File.Name)
	}
	if e := manifest.Twice(slices.Concat(adds, deletes)); e != nil {
		return fmt.Errorf("commit adds and deletes data file %s at the same level", e.File.Name)
	}
	return nil
}

func byKind(delta []manifest.Entry) (adds, deletes []*manifest.Entry) {
	for i := range delta {
		if delta[i].Kind == manifest.Add {
			adds = append(adds, &delta[i])
		} else {
			deletes = append(deletes, &delta[i])
		}
	}
	return adds, deletes
}

// findConflict says why a delta cannot be published over live, the live files of
// (at least) the partitions that it touches: ErrConflict when a file that it
// deletes is not live, when a file that it adds is, or when two files of one level
// above 0 would overlap. keys are the types of the trimmed primary key, none for
// append tables.
func findConflict(live []*manifest.Entry, delta []manifest.Entry, keys []types.Type) error {
	adds, deletes := byKind(delta)
	rest, left, err := manifest.Merge(live, deletes)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("file deletion conflicts detected, give up committing: %s not live any more: %w", names(left), ErrConflict)
	}
	if e := manifest.Twice(slices.Concat(rest, adds)); e != nil {
		return fmt.Errorf("data file %s is in the table already, give up committing: %w", e.File.Name, ErrConflict)
	}
	if len(keys) == 0 {
		return nil
	}
	return findOverlap(rest, adds, keys)
}

func names(list []*manifest.Entry) string {
	var b strings.Builder
	for i, e := range list {
		if i == maxNamed {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(e.File.Name)
	}
	if len(list) == 1 {
		return "data file " + b.String() + " is"
	}
	return "data files " + b.String() + " are"
}

// runKey names a sorted run: the files of a bucket at a level above 0.
type runKey struct {
	partition string
	bucket    int
	level     int
}

type keyRange struct {
	min, max []columnar.Value
	name     string
}

// findOverlap checks the runs that added files join.
func findOverlap(rest, adds []*manifest.Entry, keys []types.Type) error {
	runs := map[runKey][]keyRange{}
	join := func(e *manifest.Entry, start bool) error {
		key := runKey{string(e.Partition), e.Bucket, e.File.Level}
		if _, ok := runs[key]; e.File.Level < 1 || (!ok && !start) {
			return nil
		}
		r := keyRange{name: e.File.Name}
		var err error
		if r.min, err = row.Deserialize(keys, e.File.MinKey); err != nil {
			return fmt.Errorf("smallest key of data file %s: %w", e.File.Name, err)
		}
		if r.max, err = row.Deserialize(keys, e.File.MaxKey); err != nil {
			return fmt.Errorf("largest key of data file %s: %w", e.File.Name, err)
		}
		runs[key] = append(runs[key], r)
		return nil
	}
	for _, e := range adds {
		if err := join(e, true /* start a run */); err != nil {
			return err
		}
	}
	for _, e := range rest {
		if err := join(e, false /* start a run */); err != nil {
			return err
		}
	}
	compare := func(a, b []columnar.Value) int {
		for i, t := range keys {
			if c := columnar.Compare(t, a[i], b[i]); c != 0 {
				return c
			}
		}
		return 0
	}
	for key, run := range runs {
		slices.SortFunc(run, func(a, b keyRange) int { return compare(a.min, b.min) })
		for i := 1; i < len(run); i++ {
			if compare(run[i-1].max, run[i].min) >= 0 {
				return fmt.Errorf("LSM conflicts detected, give up committing: data files %s and %s overlap in bucket %d at level %d: %w",
					run[i-1].name, run[i].name, key.bucket, key.level, ErrConflict)
			}
		}
	}
	return nil
}

// needsLive reports whether a part must be held against the live files.
func needsLive(p *part) bool {
	return p.kind == snapshot.Compact || p.kind == snapshot.Overwrite
}

// bucketCounts are the bucket counts of partitions, by serialised partition; 0 is
// that of a partition without files of a fixed count.
type bucketCounts map[string]int

// check refuses entries of another bucket count than their partition has.
func (c bucketCounts) check(delta []manifest.Entry, describe func([]byte) string) error {
	for i := range delta {
		e := &delta[i]
		if n := c[string(e.Partition)]; n > 0 && e.TotalBuckets > 0 && n != e.TotalBuckets {
			return fmt.Errorf("%w: total buckets of partition %s changed from %d to %d, give up committing; "+
				"use INSERT OVERWRITE to rescale", ErrBuckets, describe(e.Partition), n, e.TotalBuckets)
		}
	}
	return nil
}

// note records the count that an added file was written with.
func (c bucketCounts) note(e *manifest.Entry) {
	if e.Kind == manifest.Add && e.TotalBuckets > 0 {
		c[string(e.Partition)] = e.TotalBuckets
	}
}
