package inspect

import (
	"context"
	"maps"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileindex"
	"github.com/lakesql/lakesql/storage/indexfile/bucketindex"
	"github.com/lakesql/lakesql/storage/indexfile/deletionvector"
)

// fileIndexMagic opens a file index: int64 1493475289347502, big-endian.
const fileIndexMagic = "\x00\x05\x4e\x4e\xd0\x1a\x35\xae"

// indexFile prints deletion vectors or a hash index.
func (p *printer) indexFile(ctx context.Context, head []byte) error {
	data, err := p.whole(ctx)
	if err != nil {
		return err
	}
	if deletionvector.Is(head[:min(9, len(head))]) {
		return p.vectors(data)
	}
	hashes, err := bucketindex.Decode(data)
	if err != nil {
		return corrupt.Wrap(p.path, err)
	}
	p.linef("hash index of %d keys", len(hashes))
	for i, h := range hashes {
		if i == p.Rows {
			p.linef("  …")
			break
		}
		p.linef("  %d", int32(h))
	}
	return nil
}

func (p *printer) vectors(data []byte) error {
	found, err := deletionvector.Walk(data)
	p.linef("deletion vectors of %d data files", len(found))
	for _, f := range found {
		if f.Err != nil {
			p.linef("  at %d: %d bytes: %v", f.Offset, f.SizeBytes, f.Err)
			continue
		}
		p.linef("  at %d: %d bytes, %d rows: %v", f.Offset, f.SizeBytes, len(f.Rows), f.Rows[:min(p.Rows, len(f.Rows))])
	}
	return corrupt.Wrap(p.path, err)
}

// fileIndex prints the columns of a file index and the kinds of their indexes.
func (p *printer) fileIndex(ctx context.Context) error {
	data, err := p.whole(ctx)
	if err != nil {
		return err
	}
	c, err := fileindex.Decode(data, "") // it may have been copied to any name
	if err != nil {
		return corrupt.Wrap(p.path, err)
	}
	p.linef("file index of %d columns", len(c))
	for _, name := range slices.Sorted(maps.Keys(c)) {
		for _, x := range c[name] {
			if x.Body == nil {
				p.linef("  column %s: %s, empty: the file has no value", name, x.Type)
				continue
			}
			p.linef("  column %s: %s of %d bytes", name, x.Type, len(x.Body))
		}
	}
	return nil
}
