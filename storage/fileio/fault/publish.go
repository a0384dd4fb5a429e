package fault

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/storage/fileio"
)

// linker is a store in which a file can be given a name under which it is not yet
// durable, as that of package mem.
type linker interface {
	Link(ctx context.Context, from, to string) error
	SyncDir(ctx context.Context, dir string) error
}

// CreateIfAbsent publishes a file, see PublishAfter.
func (s *Store) CreateIfAbsent(ctx context.Context, name string, data []byte) error {
	if l, ok := s.inner.(linker); ok {
		return s.publish(ctx, l, nil, name, data)
	}
	return s.run(CreateIfAbsent, name, func() error { return s.inner.CreateIfAbsent(ctx, name, data) })
}

// PublishAfter publishes a file in the steps in which package local does, each an
// operation that can fail: a temporary file, a sync of each file and of the temporary
// one, the link that publishes (CreateIfAbsent), the removal of the temporary name,
// and the sync of the directory. Over a store without Link it is a Sync and a
// CreateIfAbsent.
func (s *Store) PublishAfter(ctx context.Context, paths []string, name string, data []byte) error {
	if l, ok := s.inner.(linker); ok {
		return s.publish(ctx, l, paths, name, data)
	}
	if err := s.Sync(ctx, paths); err != nil {
		return fmt.Errorf("%w: %w", fileio.ErrNotPublished, err)
	}
	return s.CreateIfAbsent(ctx, name, data)
}

func (s *Store) publish(ctx context.Context, l linker, paths []string, name string, data []byte) error {
	temp := path.Join(path.Dir(name), "."+path.Base(name)+"."+uuid.NewString()+".tmp")
	if err := fileio.WriteFile(ctx, s, temp, data); err != nil {
		return fmt.Errorf("%w: publish %s: %w", fileio.ErrNotPublished, name, err)
	}
	for _, p := range append(paths[:len(paths):len(paths)], temp) {
		if err := s.Sync(ctx, []string{p}); err != nil {
			return fmt.Errorf("%w: %w", fileio.ErrNotPublished, errors.Join(err, s.Delete(ctx, temp)))
		}
	}
	if err := s.run(CreateIfAbsent, name, func() error { return l.Link(ctx, temp, name) }); err != nil {
		return errors.Join(err, s.Delete(ctx, temp))
	}
	_ = s.Delete(ctx, temp) // a leftover name harms nobody
	dir := path.Dir(name)
	return s.run(Sync, dir, func() error { return l.SyncDir(ctx, dir) })
}
