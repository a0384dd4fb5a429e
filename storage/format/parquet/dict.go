package parquet

import (
	"encoding/binary"
	"math/bits"
)

const (
	// maxIntDict and maxTextDict are the most values in a dictionary.
	maxIntDict      = 4096
	maxTextDict     = 16384
	maxDictBytes    = 1 << 20
	dictTrial       = 4096 // values after which half of them distinct means to give up
	intSlots        = 4 * maxIntDict
	hashMul         = 0x9E3779B97F4A7C15
	firstTextSlots  = 1024
	textSlotsPerVal = 2
)

// dictionary numbers the distinct values of a chunk in the order they come. It is
// for INT32, INT64 and BYTE_ARRAY values.
type dictionary struct {
	n     int
	codes []int32 // of the values of the unit or page that was looked up last

	keys  []int64 // integers: the values by code
	slots []int32 // integers: code+1 by hash

	off   []int32 // byte strings by code
	data  []byte
	tslot []uint64 // byte strings: the hash's high half and code+1, by hash
	seen  []bool   // scratch of bounds
}

func (d *dictionary) reset() {
	d.n = 0
	d.keys = d.keys[:0]
	clear(d.slots)
	d.off = append(d.off[:0], 0)
	d.data = d.data[:0]
	clear(d.tslot)
}

// add looks up all values, in codes afterwards. It returns false when they are too
// many for a dictionary; with trial set, also when too many of the first differ.
func (d *dictionary) add(t physical, v *dense, trial bool) bool {
	d.codes = resize(d.codes, v.n)
	switch t {
	case pInt32:
		return addInts(d, v.i32[:v.n], trial)
	case pInt64:
		return addInts(d, v.i64[:v.n], trial)
	case pBytes:
		return d.addText(v, trial)
	}
	return false
}

func addInts[T int32 | int64](d *dictionary, vals []T, trial bool) bool {
	if d.slots == nil {
		d.slots = make([]int32, intSlots)
	}
	slots := d.slots
	stop := len(vals)
	if trial {
		stop = min(stop, dictTrial)
	}
	for i := 0; ; {
		for ; i < stop; i++ {
			x := int64(vals[i])
			h := uint64(x) * hashMul >> (64 - 14)
			for {
				s := slots[h&(intSlots-1)]
				if s == 0 {
					if d.n == maxIntDict {
						return false
					}
					d.keys = append(d.keys, x)
					d.n++
					s = int32(d.n)
					slots[h&(intSlots-1)] = s
				}
				if d.keys[s-1] == x {
					d.codes[i] = s - 1
					break
				}
				h++
			}
		}
		if stop == len(vals) {
			return !trial || stop > dictTrial || 2*d.n <= stop
		}
		if 2*d.n > stop {
			return false
		}
		stop = len(vals)
	}
}

func (d *dictionary) addText(v *dense, trial bool) bool {
	if d.tslot == nil {
		d.tslot = make([]uint64, firstTextSlots)
	}
	if len(d.off) == 0 {
		d.off = append(d.off, 0)
	}
	stop := v.n
	if trial {
		stop = min(stop, dictTrial)
	}
	for i := 0; ; {
		for ; i < stop; i++ {
			code := d.find(v.data, int(v.off[i]), int(v.off[i+1]))
			if code < 0 {
				return false
			}
			d.codes[i] = code
		}
		if stop == v.n {
			return !trial || stop > dictTrial || 2*d.n <= stop
		}
		if 2*d.n > stop {
			return false
		}
		stop = v.n
	}
}

// find returns the code of data[from:to], a new one if need be; -1 when the
// dictionary is full.
func (d *dictionary) find(data []byte, from, to int) int32 {
	hash := hashText(data, from, to)
	mask := uint64(len(d.tslot) - 1)
	tag := hash &^ 0xffffffff
	for h := hash >> 20; ; h++ {
		s := d.tslot[h&mask]
		if s == 0 {
			break
		}
		if s&^0xffffffff == tag {
			code := int32(s) - 1
			if string(d.data[d.off[code]:d.off[code+1]]) == string(data[from:to]) {
				return code
			}
		}
	}
	if d.n == maxTextDict || len(d.data)+to-from > maxDictBytes {
		return -1
	}
	d.data = append(d.data, data[from:to]...)
	d.off = append(d.off, int32(len(d.data)))
	d.n++
	if d.n*textSlotsPerVal > len(d.tslot) {
		d.grow()
	} else {
		d.place(hash, d.n)
	}
	return int32(d.n - 1)
}

func (d *dictionary) place(hash uint64, number int) {
	mask := uint64(len(d.tslot) - 1)
	h := hash >> 20
	for d.tslot[h&mask] != 0 {
		h++
	}
	d.tslot[h&mask] = hash&^0xffffffff | uint64(number)
}

func (d *dictionary) grow() {
	d.tslot = make([]uint64, 4*len(d.tslot))
	for i := range d.n {
		d.place(hashText(d.data, int(d.off[i]), int(d.off[i+1])), i+1)
	}
}

func hashText(data []byte, from, to int) uint64 {
	h := uint64(to-from) * hashMul
	for ; to-from >= 8; from += 8 {
		h = bits.RotateLeft64(h^binary.LittleEndian.Uint64(data[from:]), 29) * hashMul
	}
	if n := to - from; n > 0 {
		var w uint64
		if from+8 <= len(data) {
			w = binary.LittleEndian.Uint64(data[from:]) & (1<<uint(8*n) - 1)
		} else {
			for i := range n {
				w |= uint64(data[from+i]) << uint(8*i)
			}
		}
		h = bits.RotateLeft64(h^w, 29) * hashMul
	}
	return h ^ h>>32
}

// page appends the dictionary's values in encoding PLAIN.
func (d *dictionary) page(dst []byte, t physical) []byte {
	v := dense{n: d.n}
	switch t {
	case pInt64:
		v.i64 = d.keys
	case pInt32:
		for _, k := range d.keys {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(k))
		}
		return dst
	default:
		v.off, v.data = d.off, d.data
	}
	return v.appendPlain(dst, t)
}

// width is the bits of a code.
func (d *dictionary) width() uint {
	if d.n <= 1 {
		return 0
	}
	return uint(bits.Len(uint(d.n - 1)))
}

// distinct gives the values that codes name, each once, for bounds.
func (d *dictionary) distinct(codes []int32, out *dense) {
	d.seen = resize(d.seen, d.n)
	clear(d.seen)
	for _, c := range codes {
		d.seen[c] = true
	}
	out.own64, out.own32 = out.own64[:0], out.own32[:0]
	out.ownData, out.ownOff = out.ownData[:0], append(out.ownOff[:0], 0)
	out.n = 0
	text := len(d.keys) == 0
	for c, s := range d.seen {
		if !s {
			continue
		}
		out.n++
		if text {
			out.ownData = append(out.ownData, d.data[d.off[c]:d.off[c+1]]...)
			out.ownOff = append(out.ownOff, int32(len(out.ownData)))
		} else {
			out.own64 = append(out.own64, d.keys[c])
			out.own32 = append(out.own32, int32(d.keys[c]))
		}
	}
	out.i32, out.i64, out.off, out.data = out.own32, out.own64, out.ownOff, out.ownData
}
