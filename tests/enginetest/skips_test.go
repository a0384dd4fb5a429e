package enginetest

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// skipText is the list: a line "# …" is the reason of the lines after it; "setup "
// begins an expression for statements that make tables, any other line one for
// queries and names of scripts. Expressions match anywhere, without regard to case.
//
//go:embed skips.txt
var skipText string

// skips is the list of what is left out.
type skips struct{ setups, queries []*regexp.Regexp }

func readSkips(t *testing.T) *skips {
	t.Helper()
	s, err := parseSkips(skipText)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parseSkips(text string) (*skips, error) {
	s := &skips{}
	reason := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if r, ok := strings.CutPrefix(line, "#"); ok {
			reason = strings.TrimSpace(r)
			continue
		}
		if line == "" {
			continue
		}
		if reason == "" {
			return nil, fmt.Errorf("skips.txt:%d: no reason stands before it", i+1)
		}
		list := &s.queries
		if rest, ok := strings.CutPrefix(line, "setup "); ok {
			line, list = rest, &s.setups
		}
		re, err := regexp.Compile("(?is)" + line)
		if err != nil {
			return nil, fmt.Errorf("skips.txt:%d: %w", i+1, err)
		}
		*list = append(*list, re)
	}
	return s, nil
}

func (s *skips) setup(text string) bool { return matches(s.setups, text) }
func (s *skips) query(text string) bool { return matches(s.queries, text) }

func matches(list []*regexp.Regexp, text string) bool {
	for _, re := range list {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}
