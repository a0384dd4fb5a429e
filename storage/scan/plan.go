package scan

import (
	"bytes"
	"context"
	"fmt"
	"sort"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

// Config is what scans of one version of a table share.
type Config struct {
	Read      datafile.ReadConfig // its Schema is the one that rows are read with
	Manifests *manifest.Files
	Options   options.Table
}

// Request says what to scan.
type Request struct {
	Snapshot *snapshot.Snapshot // nil: a table without snapshots
	Filter   *predicate.Node    // columns are indexes of the schema's fields; nil: all rows
	// DeltaOnly scans the files that the snapshot added, if it is an APPEND.
	DeltaOnly bool
	// CreatedSinceMillis leaves out files that were created before.
	CreatedSinceMillis *int64
	// TopLevelOnly scans the files of the highest level alone, and of levels above it
	// from before num-levels was lowered ($ro of a primary key table).
	TopLevelOnly bool
	// Pending are files that are not published yet, in front of the snapshot's.
	Pending []*manifest.Entry
	// Gone are names of the snapshot's files that Pending stands in for.
	Gone map[string]bool
}

// Split is files of one bucket that one reader reads together.
type Split struct {
	Partition []byte // serialised partition row
	Bucket    int
	// Raw files are read one after the other; Sections are merged.
	Raw      []*datafile.Meta
	Sections []level.Section
}

// Report counts what planning did.
type Report struct {
	SnapshotID     snapshot.ID // 0: the table has none
	Manifests      int         // of the snapshot
	ManifestsRead  int
	Files          int // live files in the manifests that were read, of the wanted partitions and buckets
	FilesRead      int // in splits
	Level0         int // of FilesRead
	Bytes          int64
	Rows           int64 // physical rows of FilesRead
	Partitions     int   // with files in splits
	Buckets        int
	RawSplits      int
	MergedSplits   int
	PartitionsSeen int // whose partition was held against the filter; 0: none was
}

// Plan is what a scan reads.
type Plan struct {
	Splits []Split
	Report Report
}

// Make plans a scan: it reads manifests, no data file.
func Make(ctx context.Context, c Config, r Request) (*Plan, error) {
	p := &planner{c: c, r: r, prune: newPruner(c.Read.Schema, c.Options.Bucket.Function, r.Filter), keyTypes: c.Read.Schema.KeyTypes()}
	entries, err := p.live(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.cut(ctx, entries); err != nil {
		return nil, err
	}
	return &p.plan, nil
}

type planner struct {
	c        Config
	r        Request
	prune    *pruner
	keyTypes []types.Type
	plan     Plan
}

// live lists the files that pass what can be told from their place and keys.
func (p *planner) live(ctx context.Context) ([]*manifest.Entry, error) {
	if p.r.Snapshot == nil {
		return p.r.Pending, nil
	}
	rep := &p.plan.Report
	rep.SnapshotID = p.r.Snapshot.ID
	if p.r.DeltaOnly {
		if p.r.Snapshot.CommitKind != snapshot.Append {
			return p.r.Pending, nil
		}
		delta, err := p.c.Manifests.Delta(ctx, p.r.Snapshot)
		if err != nil {
			return nil, fmt.Errorf("plan a scan: %w", err)
		}
		rep.Files = len(delta)
		return p.withPending(delta), nil
	}
	seen := map[string]bool{}
	filter := manifest.Filter{
		Manifest: func(m *manifest.FileMeta) bool {
			rep.Manifests++
			if !p.prune.manifest(m) {
				return false
			}
			rep.ManifestsRead++
			return true
		},
	}
	if p.prune.byPartition != nil {
		filter.Partition = func(b []byte) bool {
			seen[string(b)] = true
			return p.prune.partition(b)
		}
	}
	bucketOption := p.c.Options.Scan.Bucket
	if p.prune.points != nil || bucketOption >= 0 {
		filter.Bucket = func(bucket, total int) bool {
			return (bucketOption < 0 || bucket == bucketOption) && p.prune.bucket(bucket, total)
		}
	}
	live, err := p.c.Manifests.ReadLive(ctx, p.r.Snapshot, filter)
	if err != nil {
		return nil, fmt.Errorf("plan a scan: %w", err)
	}
	rep.Files = len(live)
	rep.PartitionsSeen = len(seen)
	if p.prune.fault != nil {
		return nil, fmt.Errorf("plan a scan of snapshot %d: %w", p.r.Snapshot.ID, p.prune.fault)
	}
	return p.withPending(live), nil
}

// withPending is files of the snapshot with what is to be published.
func (p *planner) withPending(live []*manifest.Entry) []*manifest.Entry {
	if len(p.r.Gone) == 0 {
		return append(live[:len(live):len(live)], p.r.Pending...)
	}
	out := make([]*manifest.Entry, 0, len(live)+len(p.r.Pending))
	for _, e := range live {
		if !p.r.Gone[e.File.Name] {
			out = append(out, e)
		}
	}
	return append(out, p.r.Pending...)
}

// cut sorts files by bucket and makes splits of each.
func (p *planner) cut(ctx context.Context, entries []*manifest.Entry) error {
	groups := group(entries)
	parts := 0
	var last []byte
	for i := range groups {
		g := groups[i]
		if g[0].Bucket == datafile.PostponeBucket {
			continue // rows that wait for a compaction are not visible yet
		}
		files := make([]*datafile.Meta, 0, len(g))
		for _, e := range g {
			if p.r.CreatedSinceMillis == nil || e.File.CreationMillis >= *p.r.CreatedSinceMillis {
				files = append(files, e.File)
			}
		}
		before := len(p.plan.Splits)
		if err := p.bucket(ctx, g[0], files); err != nil {
			return err
		}
		if len(p.plan.Splits) == before {
			continue
		}
		p.plan.Report.Buckets++
		if parts == 0 || !bytes.Equal(last, g[0].Partition) {
			parts++
			last = g[0].Partition
		}
	}
	p.plan.Report.Partitions = parts
	p.count()
	return nil
}

// group gathers entries by partition and bucket. Buckets stay in the order of
// their partition's first file, numbers ascending.
func group(entries []*manifest.Entry) [][]*manifest.Entry {
	type key struct {
		part   int
		bucket int
	}
	parts := map[string]int{}
	at := map[key]int{}
	var out [][]*manifest.Entry
	var keys []key
	lastPart, lastIndex := []byte(nil), -1
	for _, e := range entries {
		if lastIndex < 0 || !bytes.Equal(lastPart, e.Partition) {
			i, ok := parts[string(e.Partition)]
			if !ok {
				i = len(parts)
				parts[string(e.Partition)] = i
			}
			lastPart, lastIndex = e.Partition, i
		}
		k := key{lastIndex, e.Bucket}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
			keys = append(keys, k)
		}
		out[i] = append(out[i], e)
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		x, y := keys[order[a]], keys[order[b]]
		if x.part != y.part {
			return x.part < y.part
		}
		return x.bucket < y.bucket
	})
	sorted := make([][]*manifest.Entry, len(out))
	for i, o := range order {
		sorted[i] = out[o]
	}
	return sorted
}

// bucket makes the splits of one bucket.
func (p *planner) bucket(ctx context.Context, e *manifest.Entry, files []*datafile.Meta) error {
	if len(p.keyTypes) == 0 {
		kept := files[:0]
		for _, m := range files {
			ok, err := p.mayMatch(ctx, m)
			if err != nil {
				return err
			}
			if ok {
				kept = append(kept, m)
			}
		}
		if e.TotalBuckets > 0 { // buckets keep the order in which rows were written
			sort.SliceStable(kept, func(i, j int) bool { return kept[i].MinSequence < kept[j].MinSequence })
		}
		p.packRaw(e, kept)
		return nil
	}
	kept := files[:0]
	for _, m := range files {
		if p.prune.key(m) && (!p.r.TopLevelOnly || m.Level >= p.topLevel()) {
			kept = append(kept, m)
		}
	}
	return p.keyed(ctx, e, kept)
}

func (p *planner) topLevel() int { return p.c.Options.Compaction.NumLevels - 1 }

// mayMatch asks the statistics of a file.
func (p *planner) mayMatch(ctx context.Context, m *datafile.Meta) (bool, error) {
	if p.r.Filter == nil {
		return true, nil
	}
	written := p.c.Read.Schema
	if m.SchemaID != written.ID {
		var err error
		if written, err = p.c.Read.Schemas.Get(ctx, m.SchemaID); err != nil {
			return false, fmt.Errorf("plan a scan: file %s: %w", m.Name, err)
		}
	}
	return p.prune.value(written, m), nil
}

// keyed makes the splits of a bucket of a primary key table.
func (p *planner) keyed(ctx context.Context, e *manifest.Entry, metas []*datafile.Meta) error {
	if len(metas) == 0 {
		return nil
	}
	files, err := level.NewFiles(p.keyTypes, metas)
	if err != nil {
		return fmt.Errorf("plan a scan: %w", err)
	}
	if level.Raw(files, false) && (len(files) == 1 || files[0].Level > 0) {
		var kept []*datafile.Meta
		for _, f := range files {
			ok, err := p.mayMatch(ctx, f.Meta)
			if err != nil {
				return err
			}
			if ok {
				kept = append(kept, f.Meta)
			}
		}
		p.packRaw(e, kept)
		return nil
	}
	var sections []level.Section
	for _, s := range level.Sections(p.keyTypes, files) {
		any := false
		for _, f := range s.Files() {
			ok, err := p.mayMatch(ctx, f.Meta)
			if err != nil {
				return err
			}
			any = any || ok
		}
		if any {
			sections = append(sections, s)
		}
	}
	p.packSections(e, sections)
	return nil
}

// weight is what a file counts for in a split.
func (p *planner) weight(m *datafile.Meta) int64 {
	return max(m.SizeBytes, p.c.Options.Scan.OpenFileBytes)
}

// packRaw puts files into splits, in their order.
func (p *planner) packRaw(e *manifest.Entry, files []*datafile.Meta) {
	for _, some := range pack(files, p.weight, p.c.Options.Scan.SplitBytes) {
		p.plan.Splits = append(p.plan.Splits, Split{Partition: e.Partition, Bucket: e.Bucket, Raw: some})
	}
}

// packSections puts sections into splits, in key order.
func (p *planner) packSections(e *manifest.Entry, sections []level.Section) {
	weight := func(s level.Section) (w int64) {
		for _, f := range s.Files() {
			w += p.weight(f.Meta)
		}
		return w
	}
	for _, some := range pack(sections, weight, p.c.Options.Scan.SplitBytes) {
		p.plan.Splits = append(p.plan.Splits, Split{Partition: e.Partition, Bucket: e.Bucket, Sections: some})
	}
}

// pack cuts items into neighbours that together weigh no more than target, but for
// single ones that do alone.
func pack[T any](items []T, weight func(T) int64, target int64) [][]T {
	var out [][]T
	var size int64
	from := 0
	for i, x := range items {
		w := weight(x)
		if i > from && size+w > target {
			out = append(out, items[from:i:i])
			from, size = i, 0
		}
		size += w
	}
	if from < len(items) {
		out = append(out, items[from:])
	}
	return out
}

// count fills in the report from the splits.
func (p *planner) count() {
	rep := &p.plan.Report
	note := func(m *datafile.Meta) {
		rep.FilesRead++
		rep.Bytes += m.SizeBytes
		rep.Rows += m.RowCount
		if m.Level == 0 {
			rep.Level0++
		}
	}
	for i := range p.plan.Splits {
		s := &p.plan.Splits[i]
		merged := false
		for _, m := range s.Raw {
			note(m)
		}
		for j := range s.Sections {
			merged = merged || !rawSection(&s.Sections[j])
			for _, f := range s.Sections[j].Files() {
				note(f.Meta)
			}
		}
		if merged {
			rep.MergedSplits++
		} else {
			rep.RawSplits++
		}
	}
}

// rawSection reports whether a section's rows can be read as they are: it has one
// file, without retractions.
func rawSection(s *level.Section) bool {
	return len(s.Runs) == 1 && len(s.Runs[0].Files) == 1 && !s.Runs[0].Files[0].HoldsDeletes()
}
