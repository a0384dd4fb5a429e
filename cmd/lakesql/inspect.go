package main

import (
	"fmt"
	"path/filepath"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/local"
)

// inspectCmd prints files of tables readably.
type inspectCmd struct {
	Files []string `arg:"" name:"file" help:"Snapshot, tag, schema, manifest, manifest list, index manifest, index file or data file."`
	Rows  int      `help:"Rows of a data file to print." default:"20"`
}

// Run prints each file; it stops at the first that cannot be read.
func (c *inspectCmd) Run(a *app) error {
	env := storage.NewEnv(storage.Config{Store: local.New("/"), Log: a.log})
	defer env.Close()
	for i, name := range c.Files {
		path, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("file %s: %w", name, err)
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := storage.Inspect(a.ctx, env, filepath.ToSlash(path), c.Rows, a.stdout); err != nil {
			return err
		}
	}
	return nil
}
