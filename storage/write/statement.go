package write

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// unassigned stands for the bucket of rows whose dynamic bucket is given when
// they are published.
const unassigned int32 = -1

// Statement collects the rows of one SQL statement, or of the statements of one
// transaction, until it is published. It belongs to one goroutine.
type Statement struct {
	layout *Layout
	router *router

	// Base is the snapshot that the statement reads, 0 for none.
	Base int64
	// ReadModify says that rows were derived from what Base held: the statement is
	// refused with ErrConflict when one of its keys was written since.
	ReadModify bool
	// Overwrite replaces partitions; nil adds rows.
	Overwrite *Overwrite
	// Replaces has the names of the files that Overwrite replaces, all of them: the
	// statement is refused with ErrConflict when others are there by then. Nil: any.
	Replaces map[string]bool
	// Operation is the snapshot's operation, such as WRITE or DELETE.
	Operation snapshot.Operation
	// Turn is the statement's place when it is run again; nil: it is not.
	Turn *Turn

	segments []*segment
	rows     int64
	bytes    int64
	touched  *writes // what the rows so far touch; nil: to be found out
	before   *writes // what the rows that have spilled touch
	spill    *spill  // rows that lie in files; nil: none
	marked   bool    // a mark was taken behind the beginning
	released bool
}

// Overwrite says which partitions a statement replaces.
type Overwrite struct {
	// Dynamic replaces the partitions that receive rows, and no other.
	Dynamic bool
	// Partition has the values of some partition columns by name: all partitions
	// that match are replaced. Empty: the whole table. Not with Dynamic.
	Partition map[string]columnar.Value
}

// segment is the rows between two marks.
type segment struct {
	batches map[Bucket][]*columnar.Batch // oldest first
	order   []Bucket                     // in order of first appearance
	rows    int64
	bytes   int64
}

// Mark is a place in a statement to which Rewind returns.
type Mark int

// NewStatement returns an empty statement for a table of the layout.
func NewStatement(l *Layout) *Statement {
	return &Statement{layout: l, router: newRouter(l.partition, l.bucketKey, l.bucketer)}
}

// Rows is the number of rows added and not taken back.
func (s *Statement) Rows() int64 { return s.rows }

// SizeBytes is what the statement's rows take in memory.
func (s *Statement) SizeBytes() int64 { return s.bytes }

// Mark returns the present place.
func (s *Statement) Mark() Mark {
	if s.rows > 0 && len(s.segments) == 0 { // all rows have spilled: place 0 is in front of them
		s.segments = append(s.segments, newSegment(), newSegment())
	}
	if n := len(s.segments); n > 0 && s.segments[n-1].rows > 0 {
		s.segments = append(s.segments, newSegment())
	}
	s.marked = s.marked || s.rows > 0
	return Mark(max(0, len(s.segments)-1))
}

// Rewind takes back all rows added since the mark.
func (s *Statement) Rewind(m Mark) {
	s.touched = nil
	for _, g := range s.segments[min(int(m), len(s.segments)):] {
		s.rows -= g.rows
		s.bytes -= g.bytes
		s.layout.chunks.put(g)
	}
	s.segments = s.segments[:min(int(m), len(s.segments))]
	if m == 0 {
		s.rows, s.before, s.marked = 0, nil, false
	}
}

func newSegment() *segment { return &segment{batches: map[Bucket][]*columnar.Batch{}} }

// Add takes the live rows of a batch that has all columns of the table in schema
// order. It copies them.
func (s *Statement) Add(b *columnar.Batch) {
	if b.Rows() == 0 {
		return
	}
	b = b.Compact()
	if len(s.segments) == 0 {
		s.segments = append(s.segments, newSegment())
	}
	g := s.segments[len(s.segments)-1]
	s.touched = nil
	for _, p := range s.router.route(b) {
		key := Bucket{Partition: p.partition, Number: p.bucket}
		if s.layout.Dynamic() {
			key.Number = unassigned
		}
		dst := s.chunk(g, key)
		before := dst.SizeBytes()
		if p.rows == nil {
			dst.Append(b)
		} else {
			dst.AppendSlots(b, p.rows)
		}
		g.bytes += dst.SizeBytes() - before
		s.bytes += dst.SizeBytes() - before
	}
	g.rows += int64(b.N)
	s.rows += int64(b.N)
}

// chunk is the batch to which rows of a bucket are to be appended.
func (s *Statement) chunk(g *segment, key Bucket) *columnar.Batch {
	have := g.batches[key]
	if len(have) == 0 {
		g.order = append(g.order, key)
		g.batches[key] = []*columnar.Batch{columnar.NewBatch(s.layout.types, 0)}
		return g.batches[key][0]
	}
	last := have[len(have)-1]
	limit := chunkRows
	if len(have) == 1 {
		limit = firstRows
	}
	if last.N < limit && last.SizeBytes() < chunkBytes {
		return last
	}
	next := s.layout.chunks.take(s.layout.types, last)
	g.batches[key] = append(have, next)
	return next
}

// Filter returns a statement with those rows in memory that keep chooses, by their
// slots in a batch that it is shown. Files with rows that have spilled are s's.
func (s *Statement) Filter(keep func(*columnar.Batch) []int32) *Statement {
	out := NewStatement(s.layout)
	out.Base, out.ReadModify, out.Overwrite, out.Operation, out.Turn = s.Base, s.ReadModify, s.Overwrite, s.Operation, s.Turn
	out.spill, out.before, out.rows = s.spill, s.before, s.rows
	for _, g := range s.segments {
		out.rows -= g.rows
	}
	for _, b := range s.buckets() {
		for _, batch := range b.batches {
			rows := keep(batch)
			if len(rows) == 0 {
				continue
			}
			kept := columnar.NewBatch(s.layout.types, len(rows))
			kept.AppendSlots(batch, rows)
			out.Add(kept)
		}
	}
	return out
}

// Release lets go of the rows and gives their memory to later statements. It comes
// last, when nobody reads them any more.
func (s *Statement) Release() {
	for _, g := range s.segments {
		s.layout.chunks.put(g)
	}
	s.segments, s.touched, s.before, s.spill, s.released = nil, nil, nil, nil, true
}

// buckets lists the statement's buckets in order of first appearance, and calls
// each with the batches that hold its rows, oldest first.
func (s *Statement) buckets() []bucketRows {
	var out []bucketRows
	at := map[Bucket]int{}
	for _, g := range s.segments {
		for _, k := range g.order {
			i, ok := at[k]
			if !ok {
				i = len(out)
				at[k] = i
				out = append(out, bucketRows{bucket: k})
			}
			out[i].batches = append(out[i].batches, g.batches[k]...)
		}
	}
	return out
}

// bucketRows is a bucket's rows that are in memory, oldest batch first.
type bucketRows struct {
	bucket  Bucket
	batches []*columnar.Batch
}

// writes is which keys the statement touches. The caller does not change it.
func (s *Statement) writes() *writes {
	if s.touched == nil {
		s.touched = s.findWrites()
	}
	return s.touched
}

func (s *Statement) findWrites() *writes {
	w := &writes{everything: s.Overwrite != nil}
	if len(s.layout.key) == 0 {
		return w
	}
	var hashes []uint32
	var cols []*columnar.Vector
	for _, b := range s.buckets() {
		// Of dynamic buckets the partition decides: the bucket is not known yet.
		set := w.of(s.layout.lockOf(b.bucket))
		rows := 0
		for _, batch := range b.batches {
			rows += batch.N
		}
		if rows > maxKeys {
			set.setAll()
			continue
		}
		for _, batch := range b.batches {
			cols = cols[:0]
			for _, c := range s.layout.key {
				cols = append(cols, batch.Cols[c])
			}
			hashes = row.HashBatch(hashes[:0], cols, batch.N)
			set.add(hashes)
		}
	}
	if s.before != nil {
		w.merge(s.before)
	}
	return w
}
