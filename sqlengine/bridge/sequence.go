package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/schema"
)

// sequence is the order that option sequence.field gives to the rows of a key.
type sequence struct {
	table      *Table
	columns    []int // none: rows are in the order in which they are written
	descending bool
}

func (t *Table) sequence() (*sequence, error) {
	s := &sequence{table: t}
	if !t.schema.HasPrimaryKey() {
		return s, nil
	}
	o, err := t.options()
	if err != nil {
		return nil, err
	}
	for _, name := range o.Merge.SequenceFields {
		if i := schema.FieldIndex(t.schema.Fields, name); i >= 0 {
			s.columns = append(s.columns, i)
		}
	}
	s.descending = o.Merge.Descending
	return s, nil
}

// refuse refuses to put now in the place of old where the table would keep old.
func (s *sequence) refuse(ctx *sql.Context, old, now sql.Row) error {
	for _, c := range s.columns {
		d, err := Compare(ctx, s.table.columns[c].Type, old[c], now[c])
		if err != nil {
			return err
		}
		if s.descending && old[c] != nil && now[c] != nil {
			d = -d
		}
		switch {
		case d > 0:
			return Errorf(CodeNotSupported, "the change would have no effect: by option 'sequence.field' of table '%s' the row with %s = %s stays",
				s.table.name, s.table.columns[c].Name, show(old[c]))
		case d < 0:
			return nil
		}
	}
	return nil
}
