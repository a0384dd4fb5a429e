package storage

import (
	"bytes"
	"context"
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

// FileEntry is a live data file of a view.
type FileEntry struct {
	Partition    []columnar.Value // in the order of the schema's partition keys
	Bucket       int
	TotalBuckets int
	Path         string
	*datafile.Meta
}

// Unknown stands for a count or an id that a file's entry does not have.
const Unknown = datafile.Unknown

// LegacyText is the text of a value as the reference prints it in system tables: a
// date as its day number, a timestamp in ISO form.
func LegacyText(t types.Type, v columnar.Value) string { return datafile.LegacyText(t, v) }

// How a data file came to be; others are of a release that did not record it.
const (
	FromAppend  = datafile.FromAppend
	FromCompact = datafile.FromCompact
)

// Files lists the live data files of the view's snapshot, those of postponed
// buckets too, by partition, bucket and level as the manifests have them.
func (v *View) Files(ctx context.Context) ([]FileEntry, error) {
	if v.snap == nil {
		return nil, nil
	}
	live, err := v.t.manifests.ReadLive(ctx, v.snap, manifest.Filter{})
	if err != nil {
		return nil, fmt.Errorf("list files of table %s: %w", v.t.Name(), err)
	}
	paths := v.layout.Paths()
	out := make([]FileEntry, len(live))
	var last []byte
	var vals []columnar.Value
	for i, e := range live {
		if i == 0 || !bytes.Equal(last, e.Partition) {
			last = e.Partition
			if vals, err = paths.Values(e.Partition); err != nil {
				return nil, fmt.Errorf("list files of table %s: %w", v.t.Name(), err)
			}
		}
		path, err := paths.File(e.Partition, e.Bucket, e.File)
		if err != nil {
			return nil, fmt.Errorf("list files of table %s: %w", v.t.Name(), err)
		}
		out[i] = FileEntry{Partition: vals, Bucket: e.Bucket, TotalBuckets: e.TotalBuckets, Path: path, Meta: e.File}
	}
	return out, nil
}

// ManifestEntry is a manifest of a view.
type ManifestEntry = manifest.FileMeta

// Manifests lists the manifests of the view's snapshot, base then delta.
func (v *View) Manifests(ctx context.Context) ([]ManifestEntry, error) {
	if v.snap == nil {
		return nil, nil
	}
	return v.t.manifests.Metas(ctx, v.snap)
}

// BucketSummary adds up the files of a bucket.
type BucketSummary struct {
	Partition      []columnar.Value
	Bucket         int
	TotalBuckets   int // of the newest file
	Rows           int64
	DeletedRows    int64 // retractions, where files count them
	SizeBytes      int64
	Files          int64
	CreationMillis int64 // of the newest file, a local wall clock
}

// Buckets adds up the view's files by bucket, in the order of Files.
func (v *View) Buckets(ctx context.Context) ([]BucketSummary, error) {
	return v.summaries(ctx, true)
}

// Partitions adds up the view's files by partition; Bucket is 0.
func (v *View) Partitions(ctx context.Context) ([]BucketSummary, error) {
	return v.summaries(ctx, false)
}

func (v *View) summaries(ctx context.Context, byBucket bool) ([]BucketSummary, error) {
	files, err := v.Files(ctx)
	if err != nil {
		return nil, err
	}
	type key struct {
		partition string
		bucket    int
	}
	at := map[key]int{}
	var out []BucketSummary
	for i := range files {
		f := &files[i]
		k := key{partition: fmt.Sprint(f.Partition)}
		if byBucket {
			k.bucket = f.Bucket
		}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, BucketSummary{Partition: f.Partition, Bucket: k.bucket, CreationMillis: f.CreationMillis})
		}
		s := &out[n]
		s.Rows += f.RowCount
		s.DeletedRows += max(0, f.DeleteRowCount)
		s.SizeBytes += f.SizeBytes
		s.Files++
		s.TotalBuckets = f.TotalBuckets
		s.CreationMillis = max(s.CreationMillis, f.CreationMillis)
	}
	return out, nil
}
