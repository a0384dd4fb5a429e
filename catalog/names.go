package catalog

import (
	"fmt"
	"strings"
)

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// CheckName refuses names that cannot be folders or that mean something else:
// empty ones, those with a slash, a dot at the front or a dollar sign, which
// separates system tables and branches.
func CheckName(what, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: the %s has no name", ErrName, what)
	case strings.ContainsAny(name, "/\\\x00"):
		return fmt.Errorf("%w: %s '%s' has a slash in it", ErrName, what, name)
	case strings.HasPrefix(name, "."):
		return fmt.Errorf("%w: %s '%s' begins with a dot", ErrName, what, name)
	case strings.Contains(name, "$"):
		return fmt.Errorf("%w: %s '%s' has a $ in it, which separates system tables", ErrName, what, name)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("%w: %s '%s' begins or ends with a blank", ErrName, what, name)
	}
	return nil
}
