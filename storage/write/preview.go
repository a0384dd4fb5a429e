package write

import (
	"context"
	"slices"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// Preview is files with the rows of a statement that is not published, so that the
// statement's own transaction can read them. Publish makes files of its own.
type Preview struct {
	p       *Publisher
	files   []*built
	spilled []*built // the statement's own
	total   int
}

// Preview writes the rows of a statement to files behind those of a snapshot, nil
// being an empty table. The caller discards them.
func (p *Publisher) Preview(ctx context.Context, st *Statement, at *snapshot.Snapshot) (*Preview, error) {
	own := newState(p.c.Snapshots, p.c.Manifests)
	own.at = at
	var spilled []*built
	if st.spill != nil {
		own, spilled = st.spill.state, st.spill.files
	}
	g := &group{p: p, state: own, layout: st.layout, taken: []*ticket{{st: st}}, overwrite: st.Overwrite != nil}
	jobs, err := g.jobs(ctx)
	if err != nil {
		return nil, err
	}
	files, err := p.build.run(ctx, st.layout, jobs)
	if err != nil {
		return nil, err
	}
	return &Preview{p: p, files: files, spilled: spilled, total: st.layout.TotalBuckets()}, nil
}

// Entries are the files as a manifest would add them.
func (v *Preview) Entries() []*manifest.Entry {
	var out []*manifest.Entry
	for _, f := range slices.Concat(v.spilled, v.files) {
		for _, m := range f.files {
			out = append(out, &manifest.Entry{
				Kind: manifest.Add, Partition: []byte(f.bucket.Partition), Bucket: int(f.bucket.Number), TotalBuckets: v.total, File: m,
			})
		}
	}
	return out
}

// Increments are the files as a commit takes them. They are the commit's then:
// Discard must not be called.
func (v *Preview) Increments() []datafile.Increment {
	var out []datafile.Increment
	for _, f := range slices.Concat(v.spilled, v.files) {
		out = append(out, datafile.Increment{
			Partition: []byte(f.bucket.Partition), Bucket: int(f.bucket.Number), TotalBuckets: v.total, NewFiles: f.files,
		})
	}
	return out
}

// Discard removes the files. A file that cannot be removed is left to the cleaning
// of orphan files.
func (v *Preview) Discard() {
	for _, f := range v.files {
		_ = v.p.build.discard(context.Background(), f)
	}
	v.files = nil
}
