package storage

import (
	"context"
	"io"

	"github.com/lakesql/lakesql/storage/inspect"
)

// Inspect prints the file at path for people, see package inspect; rows is how
// many rows of a data file are shown.
func Inspect(ctx context.Context, env *Env, path string, rows int, w io.Writer) error {
	return inspect.File(ctx, inspect.Config{Store: env.Store, Formats: env.formats, Rows: rows}, path, w)
}
