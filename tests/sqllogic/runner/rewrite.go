package runner

import (
	"cmp"
	"slices"
	"strings"
)

// Rewrite puts the answers got, by the record's line, into the text of a script.
func Rewrite(text string, records []Record, got map[int][]string) string {
	lines := strings.Split(text, "\n")
	rs := slices.Clone(records)
	slices.SortFunc(rs, func(a, b Record) int { return cmp.Compare(b.Line, a.Line) })
	for _, r := range rs {
		rows, ok := got[r.Line]
		if !ok || r.WantLine == 0 {
			continue
		}
		lines = slices.Replace(lines, r.WantLine-1, min(r.WantEnd-1, len(lines)), rows...)
	}
	return strings.Join(lines, "\n")
}
