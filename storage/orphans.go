package storage

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
)

// OrphanOptions say which orphan files go, see expire.OrphanOptions.
type OrphanOptions = expire.OrphanOptions

// Orphans counts files.
type Orphans = expire.Orphans

// RemoveOrphans removes the files that no snapshot, tag, branch or changelog of the
// table names, and returns how many they were, also with an error. Files of writes
// that run in this process stay whatever o says; those of other processes are
// protected by their age alone.
func (t *Table) RemoveOrphans(ctx context.Context, o OrphanOptions) (Orphans, error) {
	l, err := t.newestLayout(ctx)
	if err != nil {
		return Orphans{}, err
	}
	if err := t.verify(ctx); err != nil { // publishes again what was lost
		return Orphans{}, err
	}
	if since := t.open.since(); !since.IsZero() && since.Before(o.OlderThan) {
		o.OlderThan = since
	}
	c := t.expireConfig(l)
	c.Published = t.lastPublished
	n, err := expire.RemoveOrphans(ctx, c, o)
	if err != nil {
		return n, fmt.Errorf("remove orphan files of table %s: %w", t.Name(), err)
	}
	return n, nil
}

// lastPublished is the snapshot that this process published last and that another
// engine may still replace; nil: none.
func (t *Table) lastPublished(ctx context.Context) (*snapshot.Snapshot, error) {
	t.mu.Lock()
	c := t.committer
	t.mu.Unlock()
	if c == nil {
		return nil, nil
	}
	return c.Last(ctx)
}

// clockSkew is how much the clock of the file store may be behind ours.
const clockSkew = time.Minute

// openViews are the views of a table that are in use. A write makes its files while
// its view is open.
type openViews struct {
	mu    sync.Mutex
	begin map[*View]time.Time
}

func (o *openViews) add(v *View, begin time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.begin == nil {
		o.begin = map[*View]time.Time{}
	}
	o.begin[v] = begin
}

func (o *openViews) remove(v *View) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.begin, v)
}

// since is when the oldest open view was taken, by the clock of the file store; the
// zero time: none is open.
func (o *openViews) since() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	var first time.Time
	for _, t := range o.begin {
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	if first.IsZero() {
		return first
	}
	return first.Add(-clockSkew)
}
