package check

import (
	"context"

	"github.com/lakesql/lakesql/storage/fileio"
)

// orphans counts the files that nothing names: what an interrupted write leaves,
// and what a removal of orphan files would take. Files of a write that is not
// published yet count too.
func (k *checker) orphans(ctx context.Context) error {
	var w walker
	for _, dir := range []string{"manifest", "index", "statistics"} {
		if err := k.walk(ctx, fileio.Join(k.dir, dir), &w, nil); err != nil {
			return err
		}
	}
	metadata := map[string]bool{"schema": true, "snapshot": true, "manifest": true, "index": true, "statistics": true,
		"changelog": true, "consumer": true, "tag": true, "branch": true}
	if err := k.walk(ctx, k.dir, &w, metadata); err != nil {
		return err
	}
	if w.files > 0 {
		k.note(k.dir, "%d files of %d bytes are named by no snapshot or tag, such as %s", w.files, w.bytes, w.example)
	}
	return nil
}

type walker struct {
	files   int
	bytes   int64
	example string
}

// walk adds up the files below dir that are not used; skip are children to leave out.
func (k *checker) walk(ctx context.Context, dir string, w *walker, skip map[string]bool) error {
	infos, err := k.cfg.Store.List(ctx, dir)
	if err != nil {
		return k.unreadable(ctx, dir, err)
	}
	for _, info := range infos {
		path := fileio.Join(dir, info.Name)
		_, used := k.used[path]
		switch {
		case skip[info.Name] || used:
		case info.Dir:
			if err := k.walk(ctx, path, w, nil); err != nil {
				return err
			}
		default:
			if w.files == 0 {
				w.example = path
			}
			w.files++
			w.bytes += info.SizeBytes
		}
	}
	return nil
}
