package loadfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Format says how a file is cut into lines and fields.
type Format struct {
	FieldEnd  string // between fields; "" only with Enclosed
	LineEnd   string // "": lines do not end, fields fill one row after the other
	LineStart string // what stands before it is skipped, lines without it are too
	Enclosed  string // one byte around fields, or ""
	Escaped   string // one byte that escapes the next one, or ""
}

// Options are what a Reader needs besides.
type Options struct {
	Charset Charset
	// MaxField is the largest length of a field in bytes.
	MaxField int
	// Block is how many bytes are read at once; 0 is 64 KiB.
	Block int
	// Grow is asked before a long field takes so many bytes more; nil: it may.
	Grow func(bytes int64) error
}

// ErrFieldTooLong is returned for a field of more than MaxField bytes.
var ErrFieldTooLong = errors.New("field too long")

// CharacterError says that the file has a byte where no character of its set begins.
type CharacterError struct {
	Charset Charset
	Before  string // what stands before it in the field
}

func (e *CharacterError) Error() string {
	return fmt.Sprintf("Invalid %s character string: '%s'", e.Charset, e.Before)
}

// Reader reads a file field by field. It belongs to one goroutine.
type Reader struct {
	src      io.Reader
	charset  Charset
	maxField int
	grow     func(bytes int64) error

	fieldEnd, lineEnd, lineStart []byte
	alike                        bool          // fields and lines end alike
	quote, escape                int           // bytes, or -1
	plain, quoted                [256]classBit // what bytes may mean outside of quotes and within

	buf     []byte
	pos     int // of the next byte
	end     int // of what was read
	from    int // bytes before it are not needed any more
	drained bool

	scratch []byte
	text    []byte // of the field
	null    bool   // the field had \N
	wrapped bool   // the field stood in quotes

	atStart  bool // the line's start is to be looked for
	lineDone bool // the line's end was read
	eof      bool
	cut      bool
	err      error
}

// classBit says what a byte may be the first one of.
type classBit uint8

const (
	escapes classBit = 1 << iota
	endsLine
	endsField
	quotes
	beyondASCII
)

const defaultBlock = 64 << 10

// NewReader reads src by a format.
func NewReader(src io.Reader, f Format, o Options) *Reader {
	if o.Block <= 0 {
		o.Block = defaultBlock
	}
	r := &Reader{
		src: src, charset: o.Charset, maxField: o.MaxField, grow: o.Grow, quote: -1, escape: -1,
		fieldEnd: []byte(f.FieldEnd), lineEnd: []byte(f.LineEnd), lineStart: []byte(f.LineStart), buf: make([]byte, o.Block),
	}
	if f.FieldEnd == f.LineEnd { // fields end, lines do not
		r.lineEnd, r.alike = nil, f.LineEnd != ""
	}
	if f.Enclosed != "" {
		r.quote = int(f.Enclosed[0])
		r.quoted[r.quote] |= quotes
	}
	if f.Escaped != "" {
		r.escape = int(f.Escaped[0])
		r.plain[r.escape] |= escapes
		r.quoted[r.escape] |= escapes
	}
	if len(r.lineEnd) > 0 {
		r.plain[r.lineEnd[0]] |= endsLine
	}
	if len(r.fieldEnd) > 0 {
		r.plain[r.fieldEnd[0]] |= endsField
	}
	if o.Charset.multibyte() {
		for b := 0x80; b < 0x100; b++ {
			r.plain[b] |= beyondASCII
			r.quoted[b] |= beyondASCII
		}
	}
	r.atStart = len(r.lineStart) > 0
	return r
}

// Err is what stopped Field, NextLine or Skip before the end of the file.
func (r *Reader) Err() error { return r.err }

// Text is the field that was read.
func (r *Reader) Text() []byte { return r.text }

// IsNull reports whether the field that was read stands for NULL.
func (r *Reader) IsNull() bool {
	return r.null && len(r.text) == 1 || !r.wrapped && r.quote >= 0 && string(r.text) == "NULL"
}

// Cut reports whether NextLine skipped fields.
func (r *Reader) Cut() bool { return r.cut }

// Skip moves over lines; where lines do not end, over rows of so many fields. Where
// they end as fields do it does nothing, as in MySQL.
func (r *Reader) Skip(lines int64, fields int) {
	if r.alike {
		return
	}
	for ; lines > 0; lines-- {
		if len(r.lineEnd) == 0 {
			for range fields {
				if !r.Field() {
					return
				}
			}
		}
		if !r.NextLine() {
			return
		}
	}
}

// NextLine moves over what is left of the line; false: the file is at its end.
func (r *Reader) NextLine() bool {
	r.cut = false
	r.atStart = len(r.lineStart) > 0
	if r.lineDone || r.eof {
		r.lineDone = false
		return !r.eof
	}
	if len(r.lineEnd) == 0 {
		return true
	}
	i := r.pos
	for {
		r.from = i
		var ok bool
		if i, ok = r.have(i, 1); !ok {
			return r.finish(i)
		}
		switch c := r.buf[i]; r.plain[c] &^ endsField {
		case 0:
		case beyondASCII:
			i, _ = r.character(i)
			i--
		default:
			if int(c) == r.escape {
				r.cut = true
				if i, ok = r.have(i+1, 1); !ok {
					return r.finish(i)
				}
				i++
				continue
			}
			if i, ok = r.match(i, r.lineEnd); ok {
				r.pos = i
				return true
			}
		}
		i++
		r.cut = true
	}
}

// finish notes the end of the file.
func (r *Reader) finish(i int) bool {
	r.pos, r.eof = i, true
	return false
}

// findStart moves behind the next line start.
func (r *Reader) findStart() bool {
	i := r.pos
	for {
		if at := bytes.Index(r.buf[i:r.end], r.lineStart); at >= 0 {
			r.pos = i + at + len(r.lineStart)
			return true
		}
		i = max(i, r.end-len(r.lineStart)+1)
		r.from = i
		rest, ok := r.fill(i)
		if !ok {
			r.lineDone = true
			return r.finish(rest)
		}
		i = rest
	}
}

// have makes sure that n bytes are there from i on; i is where they are then.
func (r *Reader) have(i, n int) (int, bool) {
	for r.end-i < n {
		var ok bool
		if i, ok = r.fill(i); !ok {
			return i, false
		}
	}
	return i, true
}

// match moves over term, whose first byte stands at i.
func (r *Reader) match(i int, term []byte) (int, bool) {
	for k := 1; k < len(term); k++ {
		var ok bool
		if i, ok = r.have(i, k+1); !ok || r.buf[i+k] != term[k] {
			return i, false
		}
	}
	return i + len(term), true
}

// character moves over the character at i, which is beyond ASCII; a byte that begins
// one that is not whole stands for itself. ok is false where none begins.
func (r *Reader) character(i int) (next int, ok bool) {
	n := r.charset.lead(r.buf[i])
	if n == 0 {
		return i + 1, false
	}
	i, there := r.have(i, n)
	if there && whole(r.buf[i:i+n]) {
		return i + n, true
	}
	return i + 1, true
}

// fill reads more behind what is there; bytes before r.from are dropped, so that i
// moves.
func (r *Reader) fill(i int) (int, bool) {
	if r.drained || r.err != nil {
		return i, false
	}
	if r.from > 0 {
		r.end = copy(r.buf, r.buf[r.from:r.end])
		i -= r.from
		r.from = 0
	}
	if r.end == len(r.buf) {
		if r.end > r.maxField {
			r.err = ErrFieldTooLong
			return i, false
		}
		if r.more(len(r.buf)); r.err != nil {
			return i, false
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	for range 100 {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		switch {
		case err == io.EOF:
			r.drained = true
		case err != nil:
			r.err = err
		}
		if n > 0 || err != nil {
			return i, n > 0
		}
	}
	r.err = io.ErrNoProgress
	return i, false
}

// more asks for memory.
func (r *Reader) more(bytes int) {
	if r.grow != nil && r.err == nil {
		r.err = r.grow(int64(bytes))
	}
}
