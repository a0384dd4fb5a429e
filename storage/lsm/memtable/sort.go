package memtable

import (
	"cmp"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/merge"
)

// pair is a key's prefix, its upper half if it has two, and its row: chunk and slot
// as in columnar's picks.
type pair struct {
	prefix uint64
	row    uint32
}

// sorter brings rows into the order of keys; rows of equal keys stay in the order
// of arrival. Its arrays are used again from sort to sort.
type sorter struct {
	prefixes []merge.Prefixes // of the keys of each chunk
	pairs    []pair
	spare    []pair
	order    *merge.Order
	keys     [][]*columnar.Vector // of each chunk
}

// sort leaves the rows of all chunks, n together, in s.pairs, sorted.
func (s *sorter) sort(order *merge.Order, keys [][]*columnar.Vector, n int) error {
	s.order, s.keys = order.Shared(keys), keys
	for len(s.prefixes) < len(keys) {
		s.prefixes = append(s.prefixes, merge.Prefixes{})
	}
	if cap(s.pairs) < n {
		s.pairs = make([]pair, 0, n+n/4)
	}
	s.pairs = s.pairs[:0]
	sorted, last := true, uint64(0)
	for c, key := range keys {
		if err := s.order.Prefixes(&s.prefixes[c], key, key[0].N); err != nil {
			return err
		}
		row := uint32(c) << columnar.PickShift
		at := len(s.pairs)
		s.pairs = s.pairs[:at+len(s.prefixes[c].Hi)]
		out := s.pairs[at:]
		for i, h := range s.prefixes[c].Hi[:len(out)] {
			out[i] = pair{h, row + uint32(i)}
			sorted = sorted && last <= h
			last = h
		}
	}
	if !sorted {
		if n < radixRows {
			slices.SortFunc(s.pairs, func(a, b pair) int {
				return cmp.Or(cmp.Compare(a.prefix, b.prefix), cmp.Compare(a.row, b.row))
			})
		} else {
			s.radix()
		}
	}
	if !s.order.Narrow() {
		s.ties()
	}
	return nil
}

// radixRows is from how many rows on counting digits pays.
const radixRows = 256

// radix sorts the pairs by prefix, from the lowest byte up, leaving out bytes that
// are the same in all rows. It is stable.
func (s *sorter) radix() {
	n := len(s.pairs)
	if cap(s.spare) < n {
		s.spare = make([]pair, n, cap(s.pairs))
	}
	vary := uint64(0)
	for _, p := range s.pairs {
		vary |= p.prefix ^ s.pairs[0].prefix
	}
	src, dst := s.pairs, s.spare[:n]
	for shift := 0; shift < 64; shift += 8 {
		if byte(vary>>shift) == 0 {
			continue
		}
		var at [256]uint32
		for i := range src {
			at[byte(src[i].prefix>>shift)]++
		}
		sum := uint32(0)
		for i, k := range at {
			at[i] = sum
			sum += k
		}
		for i := range src {
			p := src[i]
			d := &at[byte(p.prefix>>shift)]
			dst[*d] = p
			*d++
		}
		src, dst = dst, src
	}
	s.pairs, s.spare = src, dst
}

// ties orders each stretch of equal prefixes by the lower half, then by the columns.
func (s *sorter) ties() {
	for i := 0; i < len(s.pairs); {
		j := i + 1
		for j < len(s.pairs) && s.pairs[j].prefix == s.pairs[i].prefix {
			j++
		}
		if j-i > 1 {
			slices.SortFunc(s.pairs[i:j], s.compareTied)
		}
		i = j
	}
}

func (s *sorter) compareTied(a, b pair) int {
	x, y := s.low(a), s.low(b)
	if x != y {
		return cmp.Compare(x, y)
	}
	if !s.order.Tells(x) {
		if c := s.compare(a, b); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.row, b.row)
}

// low is the lower half of a key's prefix.
func (s *sorter) low(p pair) uint64 {
	return s.prefixes[p.row>>columnar.PickShift].Lo[p.row&columnar.PickMask]
}

// compare orders two keys by their columns.
func (s *sorter) compare(a, b pair) int {
	return s.order.Compare(s.keys[a.row>>columnar.PickShift], int(a.row&columnar.PickMask),
		s.keys[b.row>>columnar.PickShift], int(b.row&columnar.PickMask))
}

// same reports whether two neighbours after sort have equal keys.
func (s *sorter) same(a, b pair) bool {
	if a.prefix != b.prefix {
		return false
	}
	if s.order.Narrow() {
		return true
	}
	x := s.low(a)
	if x != s.low(b) {
		return false
	}
	return s.order.Tells(x) || s.compare(a, b) == 0
}
