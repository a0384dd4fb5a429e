package commit

import (
	"context"

	"github.com/lakesql/lakesql/storage/snapshot"
)

// Inherit takes over from a Committer of the same table with other settings, nil
// being none, which must not be used any more: c then knows which snapshot was
// published last and notices when it was replaced.
func (c *Committer) Inherit(from *Committer) {
	if from == nil {
		return
	}
	from.turn <- struct{}{}
	defer from.give()
	c.last, from.last = from.last, nil
}

// TryVerify looks whether the snapshot published last still stands, and returns a
// *ReplacedError if it was replaced. Readers call it before they read a table that
// other engines write too. While a commit runs, which verifies by itself, it does
// nothing.
func (c *Committer) TryVerify(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
	default:
		return nil
	}
	defer c.give()
	if c.last == nil {
		return nil
	}
	latest, err := c.c.Snapshots.Latest(ctx)
	if err != nil {
		return err
	}
	return c.verify(ctx, latest)
}

// Last is the snapshot that was published last and may still be replaced; nil: none.
func (c *Committer) Last(ctx context.Context) (*snapshot.Snapshot, error) {
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	defer c.give()
	if c.last == nil {
		return nil, nil
	}
	return c.last.snapshot, nil
}
