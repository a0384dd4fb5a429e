package schema

import (
	"github.com/lakesql/lakesql/storage/types"
)

// checkText tests that text can be a value of the type. Text for nested types is
// taken as it is, as only other engines can use it.
func checkText(t types.Type, text string) error {
	if t.Nested() {
		return nil
	}
	_, err := ParseValue(t, text)
	return err
}
