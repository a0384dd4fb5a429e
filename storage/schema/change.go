package schema

import (
	"github.com/lakesql/lakesql/storage/types"
)

// Change is one change of a schema. A column is named by a path: its name, then
// names of ROW members; element stands for the elements of an ARRAY or MULTISET
// and value for the values of a MAP.
type Change interface {
	apply(e *editor) error
}

// Place says where a column stands among its siblings.
type Place struct {
	Where Where
	Ref   string // sibling, for After and Before
}

// Where is the kind of a Place.
type Where uint8

// The places.
const (
	Last Where = iota
	First
	After
	Before
)

// AddColumn adds a nullable column. Rows that were written before read null,
// whatever its default.
type AddColumn struct {
	Path        []string
	Type        types.Type
	Description string
	Default     *string // nil: none
	Place       *Place  // nil: last, or before the first partition column under add-column-before-partition
}

// RenameColumn gives a column another name. Keys and options follow.
type RenameColumn struct {
	Path    []string
	NewName string
}

// DropColumn removes a column that is in no key.
type DropColumn struct{ Path []string }

// ChangeType gives a column another type; its rows are cast when they are read.
type ChangeType struct {
	Path []string
	Type types.Type
	// KeepNull leaves NOT NULL as it is, whatever Type says.
	KeepNull bool
}

// SetNotNull sets or clears NOT NULL.
type SetNotNull struct {
	Path    []string
	NotNull bool
}

// SetDescription sets a column's comment; "" removes it.
type SetDescription struct {
	Path []string
	Text string
}

// SetDefault sets a column's default value; nil removes it.
type SetDefault struct {
	Path []string
	Text *string
}

// MoveColumn moves a top-level column.
type MoveColumn struct {
	Column string
	Place  Place
}

// SetOption sets a table option.
type SetOption struct{ Key, Value string }

// RemoveOption takes a table option back to its default.
type RemoveOption struct{ Key string }

// SetComment sets the table's comment; "" removes it.
type SetComment struct{ Text string }

// DropPrimaryKey makes a table without snapshots an append table.
type DropPrimaryKey struct{}
