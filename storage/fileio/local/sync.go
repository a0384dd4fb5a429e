package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
)

// maxSyncs bounds the syncs in flight of one call. They wait for the disk, not
// for the processor, and the disk merges them.
const maxSyncs = 16

// Sync makes finished files durable, see fileio.Syncer.
func (s *Store) Sync(_ context.Context, paths []string) error { return s.syncAll(paths) }

// syncAll syncs files and their directories at once: the name of a file is in its
// directory since it was created.
func (s *Store) syncAll(paths []string) error {
	dirs := make([]string, 0, len(paths))
	for _, p := range paths {
		dirs = append(dirs, path.Dir(p))
	}
	return s.syncWith(paths, dirs)
}

// syncDirs syncs directories.
func (s *Store) syncDirs(dirs []string) error { return s.syncWith(nil, dirs) }

// syncWith syncs files, directories, and the parents of directories whose own entry
// is not known to be on disk.
func (s *Store) syncWith(files, dirs []string) error {
	want := make(map[string]struct{}, len(dirs)+2)
	var fresh []string
	s.mu.Lock()
	for _, d := range dirs {
		want[d] = struct{}{}
		for ; s.below(d); d = path.Dir(d) {
			if _, ok := s.durable[d]; ok {
				break
			}
			fresh = append(fresh, d)
			want[path.Dir(d)] = struct{}{}
		}
	}
	s.mu.Unlock()
	list := make([]string, 0, len(files)+len(want))
	list = append(list, files...)
	for d := range want {
		list = append(list, d)
	}
	if err := each(list, syncFile); err != nil {
		return err
	}
	if len(fresh) > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.durable) > maxDurableDirs {
			clear(s.durable)
		}
		for _, d := range fresh {
			s.durable[d] = struct{}{}
		}
	}
	return nil
}

// forgetDirs is called when directories may have gone.
func (s *Store) forgetDirs() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.durable)
}

// syncFile syncs a file or directory by name.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return mapRead("sync", name, err)
	}
	err = f.Sync()
	if errors.Is(err, fs.ErrInvalid) || syncUnsupported(err) {
		err = nil // a file system that cannot sync directories
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return mapWrite("sync", name, err)
	}
	return nil
}

// each runs do for every name, several at a time, and joins the errors.
func each(names []string, do func(string) error) error {
	if len(names) == 1 {
		return do(names[0])
	}
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxSyncs)
	for i, name := range names {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = do(name)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
