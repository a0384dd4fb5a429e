package loadfile

// Field reads the next field of the line; false: there is none, or the file cannot
// be read on (Err).
func (r *Reader) Field() bool {
	r.null, r.wrapped, r.text = false, false, nil
	if r.lineDone || r.err != nil {
		return false
	}
	if r.atStart {
		r.atStart = false
		if !r.findStart() {
			return false
		}
	}
	r.from = r.pos
	i, ok := r.have(r.pos, 1)
	if !ok {
		r.lineDone = true
		return r.finish(i)
	}
	r.scratch = r.scratch[:0]
	if int(r.buf[i]) == r.quote {
		return r.field(i+1, &r.quoted) // when nothing ends it the quote is part of the text
	}
	return r.field(i, &r.plain)
}

// field reads a field whose bytes, from i on, mean what class says. Everything from
// r.from on belongs to it, behind what is in scratch.
func (r *Reader) field(i int, class *[256]classBit) bool {
	for {
		for i < r.end && class[r.buf[i]] == 0 {
			i++
		}
		if i == r.end {
			var ok bool
			if i, ok = r.fill(i); !ok {
				return r.lastField(i)
			}
			continue
		}
		c := class[r.buf[i]]
		if c&escapes != 0 {
			var escaped bool
			if i, escaped = r.escaped(i); escaped {
				continue
			}
			if r.eof || r.err != nil {
				return r.err == nil
			}
		}
		if c&endsLine != 0 {
			at, ok := r.match(i, r.lineEnd)
			if ok {
				r.lineDone = true
				return r.endField(at-len(r.lineEnd), at, false)
			}
			i = at
		}
		if c&endsField != 0 {
			at, ok := r.match(i, r.fieldEnd)
			if ok {
				return r.endField(at-len(r.fieldEnd), at, false)
			}
			i = at
		}
		if c&quotes != 0 {
			var done bool
			if i, done = r.quoteAt(i); done {
				return r.err == nil
			}
			continue
		}
		if c&beyondASCII == 0 {
			i++
		} else if at, ok := r.character(i); ok {
			i = at
		} else {
			return r.noCharacter(at - 1)
		}
	}
}

// quoteAt looks behind the quote at i: the field ends there, or the quote belongs to
// it, two as one.
func (r *Reader) quoteAt(i int) (next int, done bool) {
	i, ok := r.have(i, 2)
	if !ok {
		r.lineDone = true
		r.endField(i, i+1, true)
		return i, true
	}
	c := r.buf[i+1]
	if int(c) == r.quote {
		r.keep(i, i+1)
		return i + 2, false
	}
	if len(r.lineEnd) > 0 && c == r.lineEnd[0] {
		at, ok := r.match(i+1, r.lineEnd)
		if ok {
			r.lineDone = true
			r.endField(at-len(r.lineEnd)-1, at, true)
			return at, true
		}
		i = at - 1
	}
	if len(r.fieldEnd) > 0 && c == r.fieldEnd[0] {
		at, ok := r.match(i+1, r.fieldEnd)
		if ok {
			r.endField(at-len(r.fieldEnd)-1, at, true)
			return at, true
		}
		i = at - 1
	}
	return i + 1, false
}

// escaped reads the escape at i and what it escapes. Where escape and quote are the
// same byte only two of them are an escape. At the end of the file the escape stands
// for itself, and the field ends.
func (r *Reader) escaped(i int) (next int, ok bool) {
	i, ok = r.have(i, 2)
	if !ok {
		if r.err == nil {
			r.lastField(i + 1)
		}
		return i, false
	}
	c := r.buf[i+1]
	if r.escape == r.quote && int(c) != r.escape {
		return i, false
	}
	r.keep(i, i+1)
	if r.charset.multibyte() && c >= 0x80 {
		return i + 1, true
	}
	if x := r.unescape(c); x != c {
		r.keep(i+1, i+2)
		r.scratch = append(r.scratch, x)
	}
	return i + 2, true
}

// unescape is what an escaped byte stands for.
func (r *Reader) unescape(c byte) byte {
	switch c {
	case '0':
		return 0
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'Z':
		return 26
	case 'N':
		r.null = true
	}
	return c
}

// keep takes the bytes up to i into scratch; the field goes on at next.
func (r *Reader) keep(i, next int) {
	if n := len(r.scratch) + i - r.from; n > cap(r.scratch) && n > defaultBlock {
		r.more(n)
	}
	r.scratch = append(r.scratch, r.buf[r.from:i]...)
	r.from = next
	if len(r.scratch) > r.maxField {
		r.err = ErrFieldTooLong
	}
}

// endField ends the field at i, the next one begins at next.
func (r *Reader) endField(i, next int, wrapped bool) bool {
	r.text = r.buf[r.from:i]
	if len(r.scratch) > 0 {
		r.scratch = append(r.scratch, r.text...)
		r.text = r.scratch
	}
	if wrapped {
		r.text = r.text[1:]
	}
	if len(r.text) > r.maxField {
		r.err = ErrFieldTooLong
	}
	r.pos, r.wrapped = next, wrapped
	return r.err == nil
}

// lastField ends the field at the end of the file.
func (r *Reader) lastField(i int) bool {
	if r.err != nil {
		return false
	}
	r.lineDone, r.eof = true, true
	return r.endField(i, i, false)
}

// noCharacter refuses the byte at i.
func (r *Reader) noCharacter(i int) bool {
	if r.err == nil {
		before := append(append([]byte{}, r.scratch...), r.buf[r.from:i]...)
		r.err = &CharacterError{Charset: r.charset, Before: string(before)}
	}
	return false
}
