package manifest

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/stats"
)

// Kind says whether an entry adds or deletes a file.
type Kind int8

// The kinds, as they are stored.
const (
	Add    Kind = 0
	Delete Kind = 1
)

// String is ADD or DELETE.
func (k Kind) String() string {
	if k == Delete {
		return "DELETE"
	}
	return "ADD"
}

// entryVersion is that of manifest entries and manifest list entries.
const entryVersion = 2

// Entry is one line of a manifest. It is immutable.
type Entry struct {
	Kind         Kind
	Partition    []byte // serialised partition row
	Bucket       int
	TotalBuckets int // bucket count in force when it was written; -1 dynamic and unaware, -2 postpone
	File         *datafile.Meta

	// Decoded entries keep the hash of their file's name: sum belongs to the file
	// summed, so that a copy with another File does not inherit it.
	sum    uint64
	summed *datafile.Meta
}

// SameFile reports whether both entries speak of the same file: the identity of
// a data file is its partition, bucket, level, name, extra files, embedded index
// and external path.
func (e *Entry) SameFile(o *Entry) bool {
	return e.Bucket == o.Bucket && e.File.Level == o.File.Level && e.File.Name == o.File.Name &&
		bytes.Equal(e.Partition, o.Partition) && slices.Equal(e.File.ExtraFiles, o.File.ExtraFiles) &&
		bytes.Equal(e.File.EmbeddedIndex, o.File.EmbeddedIndex) && e.File.ExternalPath == o.File.ExternalPath
}

// hash hashes the parts of the identity that tell nearly all files apart: the
// bucket and the file's name.
func (e *Entry) hash() uint64 {
	h := e.sum
	if e.summed != e.File {
		h = hashName(e.File.Name)
	}
	return h ^ uint64(uint32(e.Bucket))*0x9e3779b97f4a7c15
}

// remember keeps the hash of the name.
func (e *Entry) remember() { e.sum, e.summed = hashName(e.File.Name), e.File }

func hashName(name string) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for len(name) >= 8 {
		w := uint64(name[0]) | uint64(name[1])<<8 | uint64(name[2])<<16 | uint64(name[3])<<24 |
			uint64(name[4])<<32 | uint64(name[5])<<40 | uint64(name[6])<<48 | uint64(name[7])<<56
		h = (h ^ w) * prime
		h ^= h >> 29
		name = name[8:]
	}
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return h ^ h>>32
}

// emptyRow is the serialised row without columns.
const emptyRow = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// EmptyRow returns the serialised row without columns: the partition of an
// unpartitioned table and the key of an append table.
func EmptyRow() []byte { return []byte(emptyRow) }

// appendEntry writes the record of an entry.
func appendEntry(dst []byte, e *Entry) []byte {
	dst = appendLong(dst, entryVersion)
	dst = appendLong(dst, int64(e.Kind))
	dst = appendBytes(dst, e.Partition)
	dst = appendLong(dst, int64(e.Bucket))
	dst = appendLong(dst, int64(e.TotalBuckets))
	m := e.File
	dst = appendText(dst, m.Name)
	dst = appendLong(dst, m.SizeBytes)
	dst = appendLong(dst, m.RowCount)
	dst = appendRow(dst, m.MinKey)
	dst = appendRow(dst, m.MaxKey)
	dst = appendStats(dst, m.KeyStats)
	dst = appendStats(dst, m.ValueStats)
	dst = appendLong(dst, m.MinSequence)
	dst = appendLong(dst, m.MaxSequence)
	dst = appendLong(dst, m.SchemaID)
	dst = appendLong(dst, int64(m.Level))
	dst = appendTexts(dst, m.ExtraFiles)
	dst = appendOptLong(dst, m.CreationMillis, datafile.Unknown)
	dst = appendOptLong(dst, m.DeleteRowCount, datafile.Unknown)
	dst = appendOptBytes(dst, m.EmbeddedIndex)
	dst = appendOptLong(dst, int64(m.Source), int64(datafile.UnknownSource))
	dst = appendOptTexts(dst, m.ValueStatsCols)
	dst = appendOptText(dst, m.ExternalPath)
	dst = appendOptLong(dst, m.FirstRowID, datafile.Unknown)
	dst = appendOptTexts(dst, m.WriteCols)
	if m.WriteColsSequences == nil {
		return append(dst, 0)
	}
	return appendLongs(append(dst, 2), m.WriteColsSequences)
}

func appendLongs(dst []byte, list []int64) []byte {
	if len(list) > 0 {
		dst = appendLong(dst, int64(len(list)))
		for _, v := range list {
			dst = appendLong(dst, v)
		}
	}
	return append(dst, 0)
}

// appendRow writes a serialised row, the one without columns for nil.
func appendRow(dst, row []byte) []byte {
	if row == nil {
		return appendText(dst, emptyRow)
	}
	return appendBytes(dst, row)
}

func appendStats(dst []byte, b stats.Binary) []byte {
	if b.Min == nil && b.Max == nil && b.NullCounts == nil {
		return append(appendText(appendText(dst, emptyRow), emptyRow), 2, 0)
	}
	dst = appendRow(appendRow(dst, b.Min), b.Max)
	dst = append(dst, 2)
	if b.NullCounts == nil {
		// Java takes no null here: a null for each column says as much.
		if n := arity(b.Min); n > 0 {
			dst = append(appendLong(dst, int64(n)), make([]byte, n)...)
		}
	}
	if len(b.NullCounts) > 0 {
		dst = appendLong(dst, int64(len(b.NullCounts)))
		for _, v := range b.NullCounts {
			dst = appendOptLong(dst, v, -1)
		}
	}
	return append(dst, 0)
}

// arity is the number of columns of a serialised row.
func arity(row []byte) int {
	if len(row) < 4 {
		return 0
	}
	return min(int(binary.BigEndian.Uint32(row)), len(row)/8) // a column has eight bytes
}
