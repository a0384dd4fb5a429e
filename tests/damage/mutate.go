package damage

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// mutation is changed files of a table. A nil content is a file that is missing.
type mutation struct {
	class string // what was done, for the summary
	path  string // the file that is at fault
	note  string
	files map[string][]byte
	value bool // a value was changed: the files may describe another table
}

// byteMutations change bytes of a file. Each returns nil when it does not fit.
func byteMutations() map[string]func(rng *rand.Rand, b []byte) []byte {
	return map[string]func(rng *rand.Rand, b []byte) []byte{
		"cut": func(rng *rand.Rand, b []byte) []byte {
			if rng.IntN(3) == 0 {
				return b[:max(0, len(b)-1-rng.IntN(16))]
			}
			return b[:rng.IntN(len(b))]
		},
		"empty": func(*rand.Rand, []byte) []byte { return []byte{} },
		"longer": func(rng *rand.Rand, b []byte) []byte {
			return append(bytes.Clone(b), b[:1+rng.IntN(min(len(b), 200))]...)
		},
		"zeroed": func(rng *rand.Rand, b []byte) []byte {
			c := bytes.Clone(b)
			from := rng.IntN(len(c))
			clear(c[from:min(len(c), from+1+rng.IntN(512))])
			return c
		},
		"bit":          func(rng *rand.Rand, b []byte) []byte { return flip(rng, b, rng.IntN(len(b))) },
		"bit at start": func(rng *rand.Rand, b []byte) []byte { return flip(rng, b, rng.IntN(min(len(b), 48))) },
		"bit at end":   func(rng *rand.Rand, b []byte) []byte { return flip(rng, b, len(b)-1-rng.IntN(min(len(b), 48))) },
		"byte":         func(rng *rand.Rand, b []byte) []byte { return set(rng, b, rng.IntN(len(b))) },
		"byte at end":  func(rng *rand.Rand, b []byte) []byte { return set(rng, b, len(b)-1-rng.IntN(min(len(b), 256))) },
		"number": func(rng *rand.Rand, b []byte) []byte { // four bytes: a length, count, offset or checksum
			if len(b) < 4 {
				return nil
			}
			c := bytes.Clone(b)
			at := rng.IntN(len(c) - 3)
			if rng.IntN(2) == 0 {
				at = len(c) - 4 - rng.IntN(min(len(c)-3, 64))
			}
			for i := range 4 {
				c[at+i] = [...]byte{0xff, 0x7f, 0x80, 0, byte(rng.Uint32())}[rng.IntN(5)]
			}
			return c
		},
		"moved": func(rng *rand.Rand, b []byte) []byte { // a piece is left out, the length kept
			c := bytes.Clone(b)
			from := rng.IntN(len(c))
			n := 1 + rng.IntN(32)
			copy(c[from:], c[min(len(c), from+n):])
			return c
		},
	}
}

func flip(rng *rand.Rand, b []byte, at int) []byte {
	c := bytes.Clone(b)
	c[at] ^= 1 << rng.IntN(8)
	return c
}

func set(rng *rand.Rand, b []byte, at int) []byte {
	c := bytes.Clone(b)
	c[at] = byte(rng.Uint32())
	return c
}

// randomBytes draws a mutation of the bytes of any file.
func (t *table) randomBytes(rng *rand.Rand) *mutation {
	paths := t.paths(func(p string) bool { return kindOf(p) != "pointer file" && len(t.files[p]) > 0 })
	kinds := slices.Sorted(maps.Keys(byKind(paths)))
	group := byKind(paths)[kinds[rng.IntN(len(kinds))]]
	path := group[rng.IntN(len(group))]
	switch rng.IntN(10) {
	case 0:
		// Without its newest snapshot a table is that of the snapshot before.
		return &mutation{class: "missing", path: path, files: map[string][]byte{path: nil}, value: kindOf(path) == "snapshot"}
	case 1:
		other := group[rng.IntN(len(group))]
		return &mutation{class: "swapped", path: path, note: other, files: map[string][]byte{path: t.files[other], other: t.files[path]}, value: true}
	case 2:
		other := paths[rng.IntN(len(paths))]
		return &mutation{class: "replaced", path: path, note: other, files: map[string][]byte{path: t.files[other]}, value: true}
	}
	all := byteMutations()
	names := slices.Sorted(maps.Keys(all))
	name := names[rng.IntN(len(names))]
	changed := all[name](rng, t.files[path])
	if changed == nil {
		changed = []byte{}
	}
	return &mutation{class: name, path: path, files: map[string][]byte{path: changed}, value: t.unchecked(path)}
}

// unchecked reports whether a file has no checksum: changed bytes of it can be
// another value. Those are JSON files, hash
// indexes, and Avro files without compression.
func (t *table) unchecked(path string) bool {
	switch kindOf(path) {
	case "schema", "snapshot", "tag":
		return true
	case "manifest", "manifest list", "index manifest":
		return t.plainManifests
	case "hash index":
		return true
	case "avro data":
		return t.plainData
	}
	return false
}

func (t *table) paths(keep func(string) bool) []string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(t.files)) {
		if keep(p) {
			out = append(out, p)
		}
	}
	return out
}

func byKind(paths []string) map[string][]string {
	out := map[string][]string{}
	for _, p := range paths {
		out[kindOf(p)] = append(out[kindOf(p)], p)
	}
	return out
}

// pointerFiles are contents of LATEST and EARLIEST, all harmless.
func pointerFiles(rng *rand.Rand) []byte {
	fixed := []string{"", "0", "-1", "1", "2", "3", "99", "9223372036854775807", "9223372036854775808", " 3", "3\n", "x", "\x00", "1e3", "+2", "0x1"}
	switch rng.IntN(4) {
	case 0:
		b := make([]byte, rng.IntN(64))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	case 1:
		return strconv.AppendInt(nil, int64(rng.IntN(12)), 10)
	}
	return []byte(fixed[rng.IntN(len(fixed))])
}

// apply returns the store with the files changed.
func (m *mutation) apply(ctx context.Context, base *mem.Store) (*mem.Store, error) {
	store := base.Clone()
	for p, data := range m.files {
		var err error
		if data == nil {
			err = store.Delete(ctx, p)
		} else {
			err = store.Replace(ctx, p, data)
		}
		if err != nil {
			return nil, err
		}
	}
	return store, nil
}

func (m *mutation) String() string {
	s := fmt.Sprintf("%s of %s", m.class, m.path)
	if m.note != "" {
		s += " (" + m.note + ")"
	}
	return s
}
