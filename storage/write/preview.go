package write

import (
	"context"

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

// Added are the files of rows that were in memory, as a manifest would add them.
func (v *Preview) Added() []*manifest.Entry { return v.entries(v.files) }

// Spilled are the statement's own files, as a manifest would add them.
func (v *Preview) Spilled() []*manifest.Entry { return v.entries(v.spilled) }

func (v *Preview) entries(list []*built) []*manifest.Entry {
	var out []*manifest.Entry
	for _, f := range list {
		for _, m := range f.files {
			out = append(out, &manifest.Entry{
				Kind: manifest.Add, Partition: []byte(f.bucket.Partition), Bucket: int(f.bucket.Number), TotalBuckets: v.total, File: m,
			})
		}
	}
	return out
}

// Keep leaves the files to a commit: Discard does nothing then.
func (v *Preview) Keep() { v.files = nil }

// Discard removes the files. A file that cannot be removed is left to the cleaning
// of orphan files.
func (v *Preview) Discard() {
	for _, f := range v.files {
		_ = v.p.build.discard(context.Background(), f)
	}
	v.files = nil
}
