package commit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// part is what one snapshot publishes.
type part struct {
	kind      snapshot.Kind
	delta     []manifest.Entry
	changelog []manifest.Entry
	index     []manifest.IndexEntry
	overwrite *Overwrite // delta and index lack the deletions yet, see addOverwrite
}

func (p *part) empty() bool {
	return len(p.delta) == 0 && len(p.changelog) == 0 && len(p.index) == 0
}

// entries appends entries for files of an increment.
func entries(dst []manifest.Entry, kind manifest.Kind, inc *datafile.Increment, files []*datafile.Meta) []manifest.Entry {
	for _, f := range files {
		dst = append(dst, manifest.Entry{
			Kind: kind, Partition: inc.Partition, Bucket: inc.Bucket, TotalBuckets: inc.TotalBuckets, File: f,
		})
	}
	return dst
}

func indexEntries(dst []manifest.IndexEntry, kind manifest.Kind, inc *datafile.Increment, files []datafile.IndexFile) []manifest.IndexEntry {
	for _, f := range files {
		dst = append(dst, manifest.IndexEntry{Kind: kind, Partition: inc.Partition, Bucket: inc.Bucket, File: f})
	}
	return dst
}

// split cuts the increments of a request into the parts that become snapshots.
//
// Hash indexes belong to the rows that were added and ride with them. Deletion
// vectors of an increment that compacts come from the compaction.
func split(r *Request, incs []datafile.Increment) []part {
	first := part{kind: snapshot.Append, overwrite: r.Overwrite}
	second := part{kind: snapshot.Compact}
	if r.Overwrite != nil || r.Rewrite {
		first.kind = snapshot.Overwrite
	}
	if r.Statistics != "" {
		first.kind = snapshot.Analyze
	}
	for i := range incs {
		inc := &incs[i]
		compact := &second
		if r.Rewrite {
			compact = &first
		}
		first.delta = entries(first.delta, manifest.Add, inc, inc.NewFiles)
		if r.Overwrite == nil {
			first.changelog = entries(first.changelog, manifest.Add, inc, inc.NewChangelog)
		}
		compact.delta = entries(compact.delta, manifest.Delete, inc, inc.CompactBefore)
		compact.delta = entries(compact.delta, manifest.Add, inc, inc.CompactAfter)
		compact.changelog = entries(compact.changelog, manifest.Add, inc, inc.CompactChanges)
		compacts := len(inc.CompactBefore)+len(inc.CompactAfter) > 0
		for _, list := range []struct {
			kind  manifest.Kind
			files []datafile.IndexFile
		}{{manifest.Delete, inc.DeletedIndexFiles}, {manifest.Add, inc.NewIndexFiles}} {
			for _, f := range list.files {
				to := &first
				if compacts && f.Type == manifest.DeletionVectors {
					to = compact
				}
				to.index = indexEntries(to.index, list.kind, inc, []datafile.IndexFile{f})
			}
		}
	}
	if first.kind == snapshot.Append && removes(&first) {
		first.kind = snapshot.Overwrite
	}
	var parts []part
	if !first.empty() || r.Force || r.Statistics != "" || (r.Overwrite != nil && !r.Overwrite.Dynamic) {
		parts = append(parts, first)
	}
	if !second.empty() {
		parts = append(parts, second)
	}
	return parts
}

// removes reports whether a part takes files or rows away.
func removes(p *part) bool {
	for i := range p.delta {
		if p.delta[i].Kind == manifest.Delete {
			return true
		}
	}
	for i := range p.index {
		if p.index[i].File.Type == manifest.DeletionVectors {
			return true
		}
	}
	return false
}

// partitions returns the serialised partitions of a part's entries.
func (p *part) partitions() map[string]bool {
	set := map[string]bool{}
	for i := range p.delta {
		set[string(p.delta[i].Partition)] = true
	}
	for i := range p.index {
		set[string(p.index[i].Partition)] = true
	}
	return set
}

// overwritten returns the test for the partitions that an overwrite empties, and
// refuses new files outside of them.
func overwritten(p *part) (func([]byte) bool, error) {
	if p.overwrite.Dynamic {
		set := p.partitions()
		return func(b []byte) bool { return set[string(b)] }, nil
	}
	matches := p.overwrite.Matches
	if matches == nil {
		matches = func([]byte) bool { return true }
	}
	for i := range p.delta {
		if !matches(p.delta[i].Partition) {
			return nil, fmt.Errorf("data file %s lies outside of the partitions that are overwritten", p.delta[i].File.Name)
		}
	}
	return matches, nil
}

// addOverwrite returns the part with the deletion of all live files, and of all
// index files, in the partitions that hit names.
func addOverwrite(p *part, hit func([]byte) bool, live []*manifest.Entry, index []manifest.IndexEntry) part {
	out := part{kind: p.kind, changelog: p.changelog}
	for _, e := range live {
		if hit(e.Partition) {
			d := *e
			d.Kind = manifest.Delete
			out.delta = append(out.delta, d)
		}
	}
	for _, e := range index {
		if hit(e.Partition) && e.File.Global == nil {
			e.Kind = manifest.Delete
			out.index = append(out.index, e)
		}
	}
	out.delta = append(out.delta, p.delta...)
	out.index = append(out.index, p.index...)
	return out
}

// rows counts the rows that a delta adds, less those it removes.
func rows(delta []manifest.Entry) int64 {
	n := int64(0)
	for i := range delta {
		if delta[i].Kind == manifest.Add {
			n += delta[i].File.RowCount
		} else {
			n -= delta[i].File.RowCount
		}
	}
	return n
}

// sequenceProperty is the one property that later snapshots carry on, as its maximum.
const sequenceProperty = "sequence.generation.max-sequence-number"

// facts are what a new snapshot takes from around it.
type facts struct {
	request    *Request
	schemaID   int64
	nowMillis  int64
	uuid       string
	version    string
	properties map[string]string
}

// describe fills the members of the successor of latest that do not name files.
func describe(latest *snapshot.Snapshot, p *part, f facts) *snapshot.Snapshot {
	s := &snapshot.Snapshot{
		Version: snapshot.CurrentVersion, UUID: f.uuid, ID: 1, SchemaID: f.schemaID,
		CommitUser: f.request.User, WriterVersion: f.version, CommitIdentifier: f.request.Identifier, CommitKind: p.kind,
		TimeMillis: f.nowMillis, DeltaRecordCount: rows(p.delta), ChangelogListSize: snapshot.Unknown,
		ChangelogRecordCount: snapshot.Unknown, Watermark: f.request.Watermark, Properties: f.properties,
		Operation: f.request.Operation, NextRowID: 0, Statistics: f.request.Statistics,
	}
	if len(p.changelog) > 0 {
		s.ChangelogRecordCount = rows(p.changelog)
	}
	s.TotalRecordCount = s.DeltaRecordCount
	if latest == nil {
		return s
	}
	s.ID = latest.ID + 1
	s.TotalRecordCount += latest.TotalRecordCount
	s.TimeMillis = max(s.TimeMillis, latest.TimeMillis)
	s.NextRowID = max(latest.NextRowID, 0)
	if old, ok := latest.KnownWatermark(); ok && (s.Watermark == nil || *s.Watermark < old) {
		s.Watermark = &old
	}
	if s.Statistics == "" && latest.SchemaID == s.SchemaID {
		s.Statistics = latest.Statistics
	}
	return s
}

var errNoUser = errors.New("a commit needs a user")

// check refuses requests that contradict themselves.
func (r *Request) check() error {
	switch {
	case r.User == "":
		return errNoUser
	case r.Statistics != "" && (len(r.Increments) > 0 || r.Prepare != nil || r.Overwrite != nil || r.Rewrite):
		return errors.New("a commit of statistics takes no files")
	case r.Overwrite != nil && r.Rewrite:
		return errors.New("a commit is either an overwrite of partitions or a rewrite of files")
	}
	return nil
}

// checkBuckets refuses increments that disagree on the bucket count of a partition.
func checkBuckets(incs []datafile.Increment) error {
	counts := map[string]int{}
	var last []byte
	for i := range incs {
		inc := &incs[i]
		if inc.TotalBuckets <= 0 || (last != nil && bytes.Equal(last, inc.Partition) && counts[string(last)] == inc.TotalBuckets) {
			continue
		}
		last = inc.Partition
		if n, ok := counts[string(last)]; ok && n != inc.TotalBuckets {
			return fmt.Errorf("one commit writes a partition with %d and with %d buckets", n, inc.TotalBuckets)
		}
		counts[string(last)] = inc.TotalBuckets
	}
	return nil
}
