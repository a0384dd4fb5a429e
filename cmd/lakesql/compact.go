package main

import (
	"fmt"
	"time"

	"github.com/lakesql/lakesql/storage"
)

// compactCmd folds the files of tables whose writers are write-only.
type compactCmd struct {
	warehouseFlags
	Table []string      `help:"Tables to compact, as db.t." placeholder:"DB.T" required:""`
	Full  bool          `help:"Fold each bucket into one sorted run, not just what the compaction strategy picks."`
	Watch time.Duration `help:"Go on until SIGTERM and look again after so long." placeholder:"30s"`
}

// Run compacts once, or again and again.
func (c *compactCmd) Run(a *app) error {
	if c.Watch < 0 {
		return fmt.Errorf("--watch %s is negative", c.Watch)
	}
	w, err := c.open(a)
	if err != nil {
		return err
	}
	defer w.close()
	tables := make([]*storage.Table, len(c.Table))
	for i, name := range c.Table {
		dir, err := tableDir(w.root, name)
		if err != nil {
			return err
		}
		if tables[i], err = storage.Open(a.ctx, w.env, dir); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	for {
		for i, t := range tables {
			if err := c.compact(a, t, c.Table[i]); err != nil {
				if c.Watch > 0 && a.ctx.Err() != nil {
					return nil
				}
				return err
			}
		}
		if c.Watch == 0 {
			return nil
		}
		select {
		case <-a.ctx.Done():
			return nil
		case <-time.After(c.Watch):
		}
	}
}

// compact folds one table and says what it did; a watch says nothing of nothing.
func (c *compactCmd) compact(a *app, t *storage.Table, name string) error {
	start := time.Now()
	r, err := t.Compact(a.ctx, storage.CompactOptions{Full: c.Full})
	switch {
	case err != nil:
		return fmt.Errorf("compact table %s: %w", name, err)
	case r.Snapshot != nil:
		fmt.Fprintf(a.stdout, "%s: %s, snapshot %d, in %s\n", name, count(int64(r.Buckets), "bucket"), r.Snapshot.ID, took(start))
	case c.Watch == 0:
		fmt.Fprintf(a.stdout, "%s: nothing to compact\n", name)
	}
	return nil
}
