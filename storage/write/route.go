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
}

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
		return []piece{p}
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

// group sorts the slots by (partition, bucket) with one counting pass over the
// distinct pairs, in order of first appearance.
func (r *router) group(n int) []piece {
	type pair struct{ part, bucket int32 }
	index := map[pair]int{}
	var pieces []piece
	last, at := pair{-1, -1}, 0
	for i := range n {
		p := pair{part: r.partOf[i]}
		if r.bucketKey != nil {
			p.bucket = r.buckets[i]
		}
		if p != last {
			var ok bool
			if at, ok = index[p]; !ok {
				at = len(pieces)
				index[p] = at
				pieces = append(pieces, piece{partition: r.parts[p.part], bucket: p.bucket})
			}
			last = p
		}
		pieces[at].rows = append(pieces[at].rows, int32(i))
	}
	return pieces
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
