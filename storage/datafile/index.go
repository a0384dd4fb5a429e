package datafile

import (
	"context"
	"fmt"
	"strings"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileindex"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// MayMatch asks the index of a data file, if it has one, whether a row of it may
// match a filter, whose columns are indexes of ReadConfig.Schema.Fields. It reads
// an index that lies in a file of its own.
func MayMatch(ctx context.Context, c ReadConfig, f File, filter *predicate.Node) (bool, error) {
	if filter == nil {
		return true, nil
	}
	data, path, err := indexOf(ctx, c, f)
	if err != nil || data == nil {
		return true, err
	}
	index, err := fileindex.Decode(data, f.Meta.Name)
	if err != nil {
		return false, fmt.Errorf("index of %s: %w", f.Meta.Name, corrupt.Wrap(path, err))
	}
	written := c.Schema
	if f.Meta.SchemaID != c.Schema.ID {
		if written, err = c.Schemas.Get(ctx, f.Meta.SchemaID); err != nil {
			return false, err
		}
	}
	return index.MayMatch(filter, func(i int) (string, types.Type, bool) { return sameColumn(written, c.Schema, i) }), nil
}

// sameColumn is how a file's schema names column i of another version, by its id.
func sameColumn(written, wanted *schema.Schema, i int) (string, types.Type, bool) {
	for _, f := range written.Fields {
		if f.ID == wanted.Fields[i].ID {
			return f.Name, f.Type, f.Type.SameValues(wanted.Fields[i].Type)
		}
	}
	return "", types.Type{}, false
}

// indexOf is the bytes of a file's index and where they lie, which for an embedded one
// is the name of the file itself; nil when it has none.
func indexOf(ctx context.Context, c ReadConfig, f File) (data []byte, path string, err error) {
	if f.Meta.EmbeddedIndex != nil {
		return f.Meta.EmbeddedIndex, f.Meta.Name, nil
	}
	for _, name := range f.Meta.ExtraFiles {
		if !strings.HasSuffix(name, indexSuffix) {
			continue
		}
		if path, err = c.Paths.Beside(f.Partition, f.Bucket, f.Meta, name); err != nil {
			return nil, "", err
		}
		if data, err = fileio.ReadFile(ctx, c.Store, path); err != nil {
			return nil, "", fmt.Errorf("read index of %s: %w", f.Meta.Name, err)
		}
		return data, path, nil
	}
	return nil, "", nil
}
