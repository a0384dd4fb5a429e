package schema

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

// newDefault tests the default value of a new or changed column: text for nested
// types is refused, as nothing here could make a value of it.
func newDefault(column string, t types.Type, text *string) error {
	if text == nil {
		return nil
	}
	if t.Nested() {
		return &fault{kind: options.ErrUnsupported, text: fmt.Sprintf("column '%s': a default value of type %s is not supported yet", column, t.Kind)}
	}
	return checkDefault(column, t, *text)
}

// checkText tests that text can be a value of the type. Text for nested types is
// taken as it is, as only other engines can use it.
func checkText(t types.Type, text string) error {
	if t.Nested() {
		return nil
	}
	_, err := ParseValue(t, text)
	return err
}
