package exec

import (
	"bytes"
	"hash/maphash"
)

// KeyTable numbers distinct byte strings in the order in which they come, from 0.
// Keys are compared by their bytes; the hash only finds candidates. It is for one
// goroutine.
type KeyTable struct {
	seed   maphash.Seed
	slots  []uint64 // 0, or the hash's upper half and number+1
	hashes []uint64 // by number
	off    []int    // key n is data[off[n]:off[n+1]]
	data   []byte
}

// NewKeyTable returns an empty table.
func NewKeyTable() *KeyTable {
	return &KeyTable{seed: maphash.MakeSeed(), slots: make([]uint64, 64), off: []int{0}}
}

// Len is the number of distinct keys.
func (t *KeyTable) Len() int { return len(t.hashes) }

// Bytes is about the memory that the table holds.
func (t *KeyTable) Bytes() int64 {
	return int64(8*cap(t.slots) + 8*cap(t.hashes) + 8*cap(t.off) + cap(t.data))
}

// Key is key n. It aliases the table until the next Insert.
func (t *KeyTable) Key(n int) []byte { return t.data[t.off[n]:t.off[n+1]] }

// Find is the number of key, or -1.
func (t *KeyTable) Find(key []byte) int {
	n, _ := t.find(key, maphash.Bytes(t.seed, key))
	return n
}

const (
	tagMask = uint64(0xffffffff00000000)
	idMask  = 1<<32 - 1
)

// find returns the number of key or -1, and the slot where it is or would be.
func (t *KeyTable) find(key []byte, h uint64) (n, slot int) {
	mask := len(t.slots) - 1
	for slot = int(h) & mask; ; slot = (slot + 1) & mask {
		s := t.slots[slot]
		if s == 0 {
			return -1, slot
		}
		if (s^h)&tagMask == 0 {
			if n = int(s&idMask) - 1; bytes.Equal(t.Key(n), key) {
				return n, slot
			}
		}
	}
}

// Insert returns the number of key and whether it is new. The key is copied.
func (t *KeyTable) Insert(key []byte) (n int, isNew bool) {
	h := maphash.Bytes(t.seed, key)
	n, slot := t.find(key, h)
	if n >= 0 {
		return n, false
	}
	n = len(t.hashes)
	t.slots[slot] = h&tagMask | uint64(n+1)
	t.hashes = append(t.hashes, h)
	t.data = append(t.data, key...)
	t.off = append(t.off, len(t.data))
	if 2*len(t.hashes) > len(t.slots) {
		t.grow()
	}
	return n, true
}

func (t *KeyTable) grow() {
	t.slots = make([]uint64, 4*len(t.slots))
	mask := len(t.slots) - 1
	for n, h := range t.hashes {
		slot := int(h) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = h&tagMask | uint64(n+1)
	}
}
