package schema

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/options"
)

// WithHints returns the schema as one statement sees it, with the options that
// its hints give. Hints that say what the table says are left out. warnings and
// errors are those of options.Check, and of Validate for the whole; without any
// change the result is s itself. It is not to be published.
func (s *Schema) WithHints(hints map[string]string) (with *Schema, warnings []string, err error) {
	news := map[string]string{}
	for k, v := range hints {
		if old, ok := s.Options[k]; !ok || old != v {
			news[k] = v
		}
	}
	if len(news) == 0 {
		return s, nil, nil
	}
	warnings, err = options.Check(news, options.Hint)
	if err != nil {
		return nil, nil, err
	}
	out := *s
	out.Options = options.Merged(s.Options, news)
	if err := out.Validate(); err != nil {
		return nil, nil, fmt.Errorf("hint: %w", err)
	}
	return &out, warnings, nil
}
