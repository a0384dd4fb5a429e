package stats

import (
	"bytes"
	"unicode/utf8"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// mergeText takes the values of layout Str whose bit is set. The bounds are kept as
// slot numbers until the end of the batch, so that ascending input copies once.
// Values are compared by their first 8 bytes, and whole only when those are equal.
func (c *column) mergeText(v *columnar.Vector, valid []uint64, n int) {
	var s textScan
	blocks(n, valid, func(from, to int) { s.run(v, from, to) })
	if !s.any {
		return
	}
	least, most := v.Data[v.Off[s.min]:v.Off[s.min+1]], v.Data[v.Off[s.max]:v.Off[s.max+1]]
	if !c.any || bytes.Compare(least, c.text[0]) < 0 {
		c.text[0] = append(c.text[0][:0], least...)
	}
	if !c.any || bytes.Compare(most, c.text[1]) > 0 {
		c.text[1] = append(c.text[1][:0], most...)
	}
	c.any = true
}

type textScan struct {
	any              bool
	min, max         int    // slots
	minHead, maxHead uint64 // their first 8 bytes
}

// run takes slots from to to.
func (s *textScan) run(v *columnar.Vector, from, to int) {
	if !s.any {
		p := columnar.Head(v.Data, int(v.Off[from]), int(v.Off[from+1]))
		*s = textScan{any: true, min: from, max: from, minHead: p, maxHead: p}
	}
	for i := from; i < to; i++ {
		p := columnar.Head(v.Data, int(v.Off[i]), int(v.Off[i+1]))
		if p > s.minHead && p < s.maxHead {
			continue
		}
		s.decide(v, i, p)
	}
}

func (s *textScan) decide(v *columnar.Vector, i int, p uint64) {
	at := func(j int) []byte { return v.Data[v.Off[j]:v.Off[j+1]] }
	if p < s.minHead || p == s.minHead && bytes.Compare(at(i), at(s.min)) < 0 {
		s.min, s.minHead = i, p
	}
	if p > s.maxHead || p == s.maxHead && bytes.Compare(at(i), at(s.max)) > 0 {
		s.max, s.maxHead = i, p
	}
}

// cut is the first n characters of text, or bytes of bytes.
func cut(t types.Type, s string, n int) string {
	if len(s) <= n {
		return s
	}
	if !t.Text() {
		return s[:n]
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}

// truncateMax is a bound from above of s, n characters or bytes long at most: the last
// one of the cut that can be raised is raised, and the rest dropped. It is false when
// none can be.
func truncateMax(t types.Type, s string, n int) (string, bool) {
	head := cut(t, s, n)
	if len(head) == len(s) {
		return s, true
	}
	if !t.Text() {
		for i := len(head) - 1; i >= 0; i-- {
			if head[i] != 0xff {
				return head[:i] + string([]byte{head[i] + 1}), true
			}
		}
		return "", false
	}
	for len(head) > 0 {
		r, size := utf8.DecodeLastRuneInString(head)
		head = head[:len(head)-size]
		if r == utf8.RuneError && size == 1 || r == utf8.MaxRune {
			continue // not text, or the last character there is
		}
		r++
		if r == 0xd800 { // surrogates are no characters
			r = 0xe000
		}
		return head + string(r), true
	}
	return "", false
}
