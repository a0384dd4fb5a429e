package exec

// intTable numbers distinct 64-bit keys: open addressing with the key in the slot.
type intTable struct {
	slots []intSlot
	shift uint // hash bits that do not index
	n     int
}

type intSlot struct {
	key uint64
	id  uint32 // number+1; 0 is an empty slot
}

const (
	intTableBits = 6 // of the first table's size
	fibonacci    = 0x9e3779b97f4a7c15
)

func newIntTable() *intTable {
	return &intTable{slots: make([]intSlot, 1<<intTableBits), shift: 64 - intTableBits}
}

// insert returns the number of key, which is id when the key is new.
func (t *intTable) insert(key uint64, id uint32) uint32 {
	mask := uint64(len(t.slots) - 1)
	for i := key * fibonacci >> t.shift; ; i = (i + 1) & mask {
		s := &t.slots[i&mask]
		if s.id == 0 {
			*s = intSlot{key, id + 1}
			if t.n++; 2*t.n > len(t.slots) {
				t.grow()
			}
			return id
		}
		if s.key == key {
			return s.id - 1
		}
	}
}

func (t *intTable) grow() {
	old := t.slots
	t.slots, t.shift = make([]intSlot, 4*len(old)), t.shift-2
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := s.key * fibonacci >> t.shift
		for t.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

func (t *intTable) bytes() int64 { return int64(16 * len(t.slots)) }

// pairTable numbers distinct pairs of numbers from 0, in the order in which they
// come: by an array while both are small, else by an intTable.
type pairTable struct {
	small []uint32 // number+1 by a<<8 | b
	big   *intTable
	pairs []uint64 // by number, while small
	n     int
}

const smallPairs = 1 << 8

func newPairTable() *pairTable { return &pairTable{small: make([]uint32, smallPairs*smallPairs)} }

func (t *pairTable) insert(a, b uint32) uint32 {
	if t.big == nil {
		if a < smallPairs && b < smallPairs {
			s := &t.small[a<<8|b]
			if *s == 0 {
				t.n++
				*s = uint32(t.n)
				t.pairs = append(t.pairs, uint64(a)<<32|uint64(b))
			}
			return *s - 1
		}
		t.widen()
	}
	id := t.big.insert(uint64(a)<<32|uint64(b), uint32(t.n))
	t.n = t.big.n
	return id
}

func (t *pairTable) widen() {
	t.big = newIntTable()
	for id, p := range t.pairs {
		t.big.insert(p, uint32(id))
	}
	t.small, t.pairs = nil, nil
}

func (t *pairTable) bytes() int64 {
	n := int64(4*len(t.small) + 8*cap(t.pairs))
	if t.big != nil {
		n += t.big.bytes()
	}
	return n
}
