package fileio

import (
	"context"
	"errors"
	"fmt"
)

// ErrNotPublished is returned by PublishAfter when it is certain that the file was
// not published: something before that step failed.
var ErrNotPublished = errors.New("nothing was published")

// Publisher is an extra power of stores that can make files durable and publish
// another in fewer steps than one after the other.
type Publisher interface {
	// PublishAfter is Sync of paths, then CreateIfAbsent of path. ErrNotPublished:
	// it did not come to the second; other errors are those of CreateIfAbsent.
	PublishAfter(ctx context.Context, paths []string, path string, data []byte) error
}

// PublishAfter makes files durable, then publishes data under path, see Publisher.
func PublishAfter(ctx context.Context, s Store, paths []string, path string, data []byte) error {
	if p, ok := s.(Publisher); ok {
		return p.PublishAfter(ctx, paths, path, data)
	}
	if err := Sync(ctx, s, paths); err != nil {
		return fmt.Errorf("%w: %w", ErrNotPublished, err)
	}
	return s.CreateIfAbsent(ctx, path, data)
}
