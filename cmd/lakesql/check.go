package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
)

// checkCmd holds the files of tables against each other, offline.
type checkCmd struct {
	warehouseFlags
	Table   string `help:"Table to check, as db.t; all of the warehouse if left out." placeholder:"DB.T"`
	Verbose bool   `short:"v" help:"Also print notes: files that nothing names, what was checked."`
}

// Run prints what is broken; exit code 1 when anything is.
func (c *checkCmd) Run(a *app) error {
	w, err := c.open(a)
	if err != nil {
		return err
	}
	defer w.close()
	problems := storage.CheckWarehouse(a.ctx, w.env, w.root)
	if c.Table != "" {
		dir, err := tableDir(w.root, c.Table)
		if err != nil {
			return err
		}
		problems = storage.CheckTable(a.ctx, w.env, dir)
	}
	return c.print(a, problems)
}

func (c *checkCmd) print(a *app, problems iter.Seq2[storage.Problem, error]) error {
	faults := 0
	for p, err := range problems {
		switch {
		case err != nil:
			return err
		case !p.Note:
			faults++
			fmt.Fprintln(a.stdout, p)
		case c.Verbose:
			fmt.Fprintln(a.stdout, "note:", p)
		}
	}
	if faults > 0 {
		fmt.Fprintf(a.stderr, "lakesql: %d faults\n", faults)
		return errQuiet
	}
	return nil
}

// tableDir is the directory of the table db.t; without a database it is default's.
func tableDir(root, name string) (string, error) {
	db, table, ok := strings.Cut(name, ".")
	if !ok {
		db, table = "default", name
	}
	if db == "" || table == "" || strings.ContainsAny(name, "/\\") {
		return "", fmt.Errorf("%q is no table name like db.t", name)
	}
	return fileio.Join(root, db+".db", table), nil
}
