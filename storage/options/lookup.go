package options

import (
	"slices"
	"strings"
	"sync"
)

// registry is the index over all declarations, built once and never changed.
type registry struct {
	defs      []Def           // sorted by key
	byKey     map[string]*Def // plain keys
	fallbacks map[string]*Def // older keys
	patterns  []*Def          // keys with <f> or <x>, most literal text first
}

var declared = sync.OnceValue(func() *registry {
	r := &registry{byKey: map[string]*Def{}, fallbacks: map[string]*Def{}}
	for _, subject := range Subjects() {
		r.defs = append(r.defs, subject.Defs...)
	}
	slices.SortFunc(r.defs, func(a, b Def) int { return strings.Compare(a.Key, b.Key) })
	for i := range r.defs {
		d := &r.defs[i]
		if isPattern(d.Key) {
			r.patterns = append(r.patterns, d)
			continue
		}
		r.byKey[d.Key] = d
		for _, old := range d.Fallbacks {
			r.fallbacks[old] = d
		}
	}
	slices.SortStableFunc(r.patterns, func(a, b *Def) int { return len(literal(b.Key)) - len(literal(a.Key)) })
	return r
})

// Subject is a group of options, as the options page shows them.
type Subject struct {
	Title string
	Defs  []Def
}

// Subjects are all declarations by subject, each group sorted by key. The
// caller owns the slices.
func Subjects() []Subject {
	return []Subject{
		{"Table", tableOptions()},
		{"Buckets", bucketOptions()},
		{"Data files and statistics", fileOptions()},
		{"Manifests", manifestOptions()},
		{"Merge engines and the order of records", mergeOptions()},
		{"Changelogs", changelogOptions()},
		{"Deletion vectors", vectorsOptions()},
		{"Levels and compaction", compactOptions()},
		{"Writing and committing", writeOptions()},
		{"Reading", scanOptions()},
		{"Expiry, tags and partitions", lifecycleOptions()},
		{"Options of columns and of file formats", patternOptions()},
		{"Other features", otherOptions()},
		{"Other engines", engineOptions()},
	}
}

func isPattern(key string) bool { return strings.Contains(key, "<") }

// literal is a pattern without its holes.
func literal(pattern string) string {
	return strings.NewReplacer("<f>", "", "<x>", "").Replace(pattern)
}

// match reports whether key has the form of pattern, and gives the text that
// stands for <f>.
func match(pattern, key string) (column string, ok bool) {
	before, after, hole := strings.Cut(pattern, "<")
	if !hole {
		return "", pattern == key
	}
	if !strings.HasPrefix(key, before) {
		return "", false
	}
	kind, rest := after[:1], after[2:]
	key = key[len(before):]
	// The hole takes as much as it can: column names may hold dots.
	for end := len(key); end > 0; end-- {
		inner, ok := match(rest, key[end:])
		if !ok {
			continue
		}
		if kind == "f" {
			return key[:end], true
		}
		return inner, true
	}
	return "", false
}

// Lookup finds the declaration of a key, under its name or an older one, or the
// pattern that it has the form of.
func Lookup(key string) (Def, bool) {
	d, _ := lookup(key)
	if d == nil {
		return Def{}, false
	}
	return *d, true
}

// ColumnOf gives the column that a key of the form fields.<column>.… is about;
// ok is false for other keys and for keys that are not options.
func ColumnOf(key string) (column string, ok bool) {
	_, column = lookup(key)
	return column, column != ""
}

func lookup(key string) (d *Def, column string) {
	r := declared()
	if d := r.byKey[key]; d != nil {
		return d, ""
	}
	if d := r.fallbacks[key]; d != nil {
		return d, ""
	}
	for _, d := range r.patterns {
		if column, ok := match(d.Key, key); ok {
			return d, column
		}
	}
	return nil, ""
}

// Nearest gives the known key that is spelled most like key, or "" when none is
// close: more than a third of the characters would have to change.
func Nearest(key string) string {
	r := declared()
	best, limit := "", max(len(key)/3, 1)+1
	try := func(candidate string) {
		if d := distance(strings.ToLower(key), strings.ToLower(candidate), limit); d < limit {
			best, limit = candidate, d
		}
	}
	for i := range r.defs {
		d := &r.defs[i]
		if !isPattern(d.Key) {
			try(d.Key)
			continue
		}
		if rest, ok := strings.CutPrefix(key, "fields."); ok && strings.HasPrefix(d.Key, "fields.<f>.") {
			if dot := strings.LastIndexByte(rest, '.'); dot > 0 {
				try("fields." + rest[:dot] + strings.TrimPrefix(d.Key, "fields.<f>"))
			}
		}
	}
	return best
}

// distance counts the edits (insert, delete, replace, swap of neighbours)
// between two texts, up to limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return min(prev[len(b)], limit)
}
