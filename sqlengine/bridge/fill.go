package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage"
)

// Fill inserts the rows of src into a table, by column position.
func (p *Provider) Fill(ctx *sql.Context, database, name string, src Source) (Result, error) {
	d := &Database{provider: p, name: database}
	x, ok, err := d.table(ctx, name, hints.Read{})
	if err != nil {
		return Result{}, err
	}
	t, lake := x.(*Table)
	if !ok || !lake {
		return Result{}, sql.ErrTableNotFound.New(name)
	}
	s := &Insert{Table: t, Source: src}
	return changeOf(t, storage.WriteOptions{Operation: "CREATE_TABLE_AS_SELECT"}, s.plain).apply(ctx)
}
