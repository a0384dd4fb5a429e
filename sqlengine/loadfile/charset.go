package loadfile

// Charset says how the bytes of a file are characters.
type Charset uint8

// The character sets that files may have.
const (
	UTF8MB4 Charset = iota
	UTF8MB3         // up to three bytes a character
	Binary          // bytes as they are
	ASCII
	Latin1 // as MySQL has it: Windows-1252
)

// ParseCharset finds a character set by its name in lower case.
func ParseCharset(name string) (c Charset, ok bool) {
	switch name {
	case "utf8mb4":
		return UTF8MB4, true
	case "utf8", "utf8mb3":
		return UTF8MB3, true
	case "binary":
		return Binary, true
	case "ascii":
		return ASCII, true
	case "latin1":
		return Latin1, true
	}
	return 0, false
}

// String is MySQL's name of the character set.
func (c Charset) String() string {
	return [...]string{"utf8mb4", "utf8mb3", "binary", "ascii", "latin1"}[c]
}

// multibyte reports whether characters have several bytes.
func (c Charset) multibyte() bool { return c == UTF8MB4 || c == UTF8MB3 }

// lead is the length of the character that begins with b; 0: none does.
func (c Charset) lead(b byte) int {
	switch {
	case b < 0x80:
		return 1
	case b < 0xc2:
		return 0
	case b < 0xe0:
		return 2
	case b < 0xf0:
		return 3
	case b < 0xf8 && c == UTF8MB4:
		return 4
	}
	return 0
}

// whole reports whether p, as long as its lead says, is a character by its form.
func whole(p []byte) bool {
	for _, b := range p[1:] {
		if b&0xc0 != 0x80 {
			return false
		}
	}
	return (p[0] != 0xe0 || p[1] >= 0xa0) && (p[0] != 0xf0 || p[1] >= 0x90) && (p[0] < 0xf4 || p[0] == 0xf4 && p[1] < 0x90)
}

// upper are the characters of Latin1 from 0x80 to 0x9f; the others from 0x80 on have
// their own number.
var upper = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

// Decode gives text as UTF-8. Where it is not text already it is appended to
// scratch. ok is false when there are bytes that are no characters; then text comes
// back as it is.
func (c Charset) Decode(scratch, text []byte) (out []byte, ok bool) {
	if c != Latin1 && c != ASCII {
		return text, true // which the column checks
	}
	at := 0
	for at < len(text) && text[at] < 0x80 {
		at++
	}
	if at == len(text) {
		return text, true
	}
	if c == ASCII {
		return text, false
	}
	out = append(scratch, text[:at]...)
	for _, b := range text[at:] {
		switch {
		case b < 0x80:
			out = append(out, b)
		case b < 0xa0:
			out = append(out, string(upper[b-0x80])...)
		default:
			out = append(out, 0xc0|b>>6, 0x80|b&0x3f)
		}
	}
	return out, true
}
