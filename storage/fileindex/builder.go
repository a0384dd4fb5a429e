package fileindex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Options of a bloom filter when the table says nothing.
const (
	defaultItems = 1_000_000
	defaultFPP   = 0.1
)

// Spec says which columns of a table have a bloom filter. It is immutable.
type Spec struct {
	columns []bloomSpec
	// InManifestBytes is the size up to which the index of a file is kept in its
	// manifest entry (file-index.in-manifest-threshold).
	InManifestBytes int64
}

type bloomSpec struct {
	column int
	name   string
	items  int64
	fpp    float64
}

// NewSpec reads the options file-index.bloom-filter.columns and
// file-index.bloom-filter.<column>.items and .fpp of a table. A column that does
// not exist, or whose type has no hash, is an error that names it. A key of a MAP
// column, m[key], is passed over: such an index is not built, and not needed to read.
func NewSpec(fields []types.Field, options map[string]string, inManifestBytes int64) (Spec, error) {
	const prefix = "file-index." + BloomFilter + "."
	s := Spec{InManifestBytes: inManifestBytes}
	for _, name := range strings.Split(options[prefix+"columns"], ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		b := bloomSpec{column: -1, name: name, items: defaultItems, fpp: defaultFPP}
		for i, f := range fields {
			if f.Name == name {
				b.column = i
			}
		}
		if b.column < 0 && mapKey(fields, name) {
			continue
		}
		if b.column < 0 {
			return s, fmt.Errorf("option %scolumns: no column '%s'", prefix, name)
		}
		if !Hashable(fields[b.column].Type) {
			return s, fmt.Errorf("option %scolumns: column '%s' of type %s cannot have a bloom filter", prefix, name, fields[b.column].Type)
		}
		var err error
		if v, ok := options[prefix+name+".items"]; ok {
			if b.items, err = strconv.ParseInt(v, 10, 64); err != nil || b.items < 1 {
				return s, fmt.Errorf("option %s%s.items: '%s' is no positive number", prefix, name, v)
			}
		}
		if v, ok := options[prefix+name+".fpp"]; ok {
			if b.fpp, err = strconv.ParseFloat(v, 64); err != nil || b.fpp <= 0 || b.fpp >= 1 {
				return s, fmt.Errorf("option %s%s.fpp: '%s' is not between 0 and 1", prefix, name, v)
			}
		}
		s.columns = append(s.columns, b)
	}
	return s, nil
}

// mapKey reports whether name is that of a key of a MAP column.
func mapKey(fields []types.Field, name string) bool {
	column, rest, ok := strings.Cut(name, "[")
	return ok && strings.HasSuffix(rest, "]") && slices.ContainsFunc(fields, func(f types.Field) bool {
		return f.Name == column && f.Type.Kind == types.Map
	})
}

// Empty reports whether no column has an index.
func (s *Spec) Empty() bool { return len(s.columns) == 0 }

// Builder makes the index of one file.
type Builder struct {
	spec    *Spec
	columns []column
}

// column is the filter of a column in the making: hashes while there are few, so
// that the filter of a small file is small; a filter of the configured size after.
type column struct {
	hashes []uint64
	bloom  *Bloom
}

// NewBuilder returns a builder of an index that holds nothing yet.
func (s *Spec) NewBuilder() *Builder {
	return &Builder{spec: s, columns: make([]column, len(s.columns))}
}

// Add takes in the live rows of a batch that has the table's columns.
func (b *Builder) Add(batch *columnar.Batch) {
	for i, s := range b.spec.columns {
		c := &b.columns[i]
		c.hashes = appendHashes(c.hashes, batch.Cols[s.column], batch.Sel)
		if c.bloom == nil && int64(len(c.hashes)) > s.items {
			c.bloom = NewBloom(s.items, s.fpp)
		}
		if c.bloom != nil {
			c.drain()
		}
	}
}

// drain moves the hashes into the filter.
func (c *column) drain() {
	for _, h := range c.hashes {
		c.bloom.Add(h)
	}
	c.hashes = c.hashes[:0]
}

// Encode returns the bytes of the index of a data file.
func (b *Builder) Encode(dataFile string) []byte {
	out := Container{}
	for i, s := range b.spec.columns {
		c := &b.columns[i]
		x := Index{Type: BloomFilter}
		if c.bloom == nil && len(c.hashes) > 0 {
			c.bloom = NewBloom(int64(len(c.hashes)), s.fpp)
			c.drain()
		}
		if c.bloom != nil {
			x.Body = c.bloom.Encode()
		}
		out[s.name] = append(out[s.name], x)
	}
	return out.Encode(dataFile)
}
