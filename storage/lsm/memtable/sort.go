package memtable

import (
	"cmp"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/merge"
)

// pair is a key's prefix, its upper half if it has two, and its row.
type pair struct {
	prefix uint64
	row    uint32
}

// sorter brings rows into the order of keys; rows of equal keys stay in the order
// of arrival. Its arrays are used again from sort to sort.
type sorter struct {
	prefixes merge.Prefixes
	pairs    []pair
	spare    []pair
	order    *merge.Order
	key      []*columnar.Vector
}

// sort leaves the rows 0 to n-1 in s.pairs, sorted.
func (s *sorter) sort(order *merge.Order, key []*columnar.Vector, n int) error {
	s.order, s.key = order.Shared(key, n), key
	if err := s.order.Prefixes(&s.prefixes, key, n); err != nil {
		return err
	}
	if cap(s.pairs) < n {
		s.pairs = make([]pair, n, n+n/4)
	}
	s.pairs = s.pairs[:n]
	hi := s.prefixes.Hi
	sorted := true
	for i, h := range hi {
		s.pairs[i] = pair{h, uint32(i)}
		sorted = sorted && (i == 0 || hi[i-1] <= h)
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
	x, y := s.prefixes.Lo[a.row], s.prefixes.Lo[b.row]
	if x != y {
		return cmp.Compare(x, y)
	}
	if !s.order.Tells(x) {
		if c := s.order.Compare(s.key, int(a.row), s.key, int(b.row)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.row, b.row)
}

// same reports whether two neighbours after sort have equal keys.
func (s *sorter) same(a, b pair) bool {
	if a.prefix != b.prefix {
		return false
	}
	if s.order.Narrow() {
		return true
	}
	x := s.prefixes.Lo[a.row]
	if x != s.prefixes.Lo[b.row] {
		return false
	}
	return s.order.Tells(x) || s.order.Compare(s.key, int(a.row), s.key, int(b.row)) == 0
}
