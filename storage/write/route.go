package write

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
)

// router splits batches by partition and bucket. It keeps scratch memory and
// belongs to one statement.
type router struct {
	partition []int // indexes of the partition columns
	bucketKey []int // indexes of the bucket key columns; nil: one bucket, 0
	bucketer  *row.Bucketer

	ids     map[string]int32 // serialised partition -> index in parts
	parts   []string
	partOf  []int32
	buckets []int32
	cols    []*columnar.Vector
	key     []byte

	// Of group. A pair of partition and bucket has the number partition * buckets + bucket.
	table   []int32       // piece + 1 by number, 0: none yet
	more    map[int]int32 // the same for numbers from maxTable on
	numbers []int         // of the pieces
	pieces  []piece
	pieceOf []int32 // of each slot
	ends    []int32 // of each piece in rows
	rows    []int32
}

// maxTable is how large router.table may grow.
const maxTable = 1 << 16

// piece is the part of a batch that belongs to one partition and bucket: the
// slots rows, or all slots when rows is nil.
type piece struct {
	partition string
	bucket    int32
	rows      []int32
}

func newRouter(partition, bucketKey []int, b *row.Bucketer) *router {
	return &router{partition: partition, bucketKey: bucketKey, bucketer: b, ids: map[string]int32{}}
}

// route returns the pieces of a batch whose slots are all live. Slots keep their
// order within a piece. The pieces alias the router's scratch until the next call.
func (r *router) route(b *columnar.Batch) []piece {
	onePartition := r.partitions(b)
	oneBucket := r.bucketKey == nil
	if !oneBucket {
		r.cols = r.cols[:0]
		for _, c := range r.bucketKey {
			r.cols = append(r.cols, b.Cols[c])
		}
		r.buckets = r.bucketer.Buckets(r.buckets[:0], r.cols, b.N)
		oneBucket = same(r.buckets)
	}
	if onePartition && oneBucket {
		p := piece{partition: r.parts[r.partOf[0]]}
		if r.bucketKey != nil {
			p.bucket = r.buckets[0]
		}
		r.pieces = append(r.pieces[:0], p)
		return r.pieces
	}
	return r.group(b.N)
}

// partitions fills partOf and reports whether all rows have one partition.
func (r *router) partitions(b *columnar.Batch) bool {
	r.partOf = r.partOf[:0]
	r.cols = r.cols[:0]
	for _, c := range r.partition {
		r.cols = append(r.cols, b.Cols[c])
	}
	if len(r.cols) == 0 && len(r.parts) > 0 {
		r.partOf = resize(r.partOf, b.N)
		clear(r.partOf)
		return true
	}
	one := true
	for i := range b.N {
		if i > 0 && (len(r.cols) == 0 || sameSlot(r.cols, i-1, i)) {
			r.partOf = append(r.partOf, r.partOf[i-1])
			continue
		}
		r.key = row.AppendSerialized(r.key[:0], r.cols, i)
		id, ok := r.ids[string(r.key)]
		if !ok {
			id = int32(len(r.parts))
			s := string(r.key)
			r.ids[s] = id
			r.parts = append(r.parts, s)
		}
		r.partOf = append(r.partOf, id)
		one = one && id == r.partOf[0]
	}
	return one
}

// group sorts the slots by (partition, bucket) with a counting pass over the
// distinct pairs, in order of first appearance.
func (r *router) group(n int) []piece {
	buckets := 1
	if r.bucketKey != nil {
		buckets = r.bucketer.Count()
	}
	r.pieces, r.numbers, r.ends = r.pieces[:0], r.numbers[:0], r.ends[:0]
	r.pieceOf, r.rows = resize(r.pieceOf, n), resize(r.rows, n)
	last, p := -1, int32(0)
	for i := range n {
		number := int(r.partOf[i]) * buckets
		if r.bucketKey != nil {
			number += int(r.buckets[i])
		}
		if number != last {
			last = number
			if number < len(r.table) && r.table[number] > 0 {
				p = r.table[number] - 1
			} else {
				p = r.piece(number, buckets)
			}
		}
		r.pieceOf[i] = p
		r.ends[p]++
	}
	at := int32(0)
	for i, count := range r.ends {
		r.pieces[i].rows = r.rows[at : at+count]
		r.ends[i] = at
		at += count
	}
	for i, p := range r.pieceOf {
		r.rows[r.ends[p]] = int32(i)
		r.ends[p]++
	}
	for _, number := range r.numbers {
		if number < len(r.table) {
			r.table[number] = 0
		}
	}
	clear(r.more)
	return r.pieces
}

// piece finds or begins the piece of a pair.
func (r *router) piece(number, buckets int) int32 {
	if k, ok := r.more[number]; ok {
		return k
	}
	k := int32(len(r.pieces))
	switch {
	case number < maxTable:
		for len(r.table) <= number {
			r.table = append(r.table, 0)
		}
		r.table[number] = k + 1
	case r.more == nil:
		r.more = map[int]int32{number: k}
	default:
		r.more[number] = k
	}
	r.numbers = append(r.numbers, number)
	r.ends = append(r.ends, 0)
	r.pieces = append(r.pieces, piece{partition: r.parts[number/buckets], bucket: int32(number % buckets)})
	return k
}

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

func same(x []int32) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// sameSlot reports whether slots i and j of flat columns hold the same values.
func sameSlot(cols []*columnar.Vector, i, j int) bool {
	for _, c := range cols {
		if c.IsNull(i) != c.IsNull(j) {
			return false
		}
		if c.IsNull(i) {
			continue
		}
		switch columnar.LayoutOf(c.Type) {
		case columnar.I32:
			if c.I32[i] != c.I32[j] {
				return false
			}
		case columnar.I64:
			if c.I64[i] != c.I64[j] {
				return false
			}
		case columnar.Str:
			if string(c.Bytes(i)) != string(c.Bytes(j)) {
				return false
			}
		default:
			if c.Value(i) != c.Value(j) {
				return false
			}
		}
	}
	return true
}
