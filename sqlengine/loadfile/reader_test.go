package loadfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// naive reads a file byte by byte, as MySQL's manual says it. It is what Reader is
// held against.
type naive struct {
	data  []byte
	pos   int
	f     Format
	cs    Charset
	start bool

	text              string
	null, wrapped     bool
	lineDone, eof, no bool // no: a byte is no character
	cut               bool
}

func (n *naive) term(t string) bool {
	if t == "" || !bytes.HasPrefix(n.data[n.pos:], []byte(t)) {
		return false
	}
	n.pos += len(t)
	return true
}

func (n *naive) lineEnd() string {
	if n.f.FieldEnd == n.f.LineEnd {
		return ""
	}
	return n.f.LineEnd
}

func (n *naive) is(option string, c int) bool { return option != "" && int(option[0]) == c }

func (n *naive) field() bool {
	n.null, n.wrapped, n.text = false, false, ""
	if n.lineDone || n.no {
		return false
	}
	if n.start {
		n.start = false
		at := bytes.Index(n.data[n.pos:], []byte(n.f.LineStart))
		if at < 0 {
			n.pos, n.lineDone, n.eof = len(n.data), true, true
			return false
		}
		n.pos += at + len(n.f.LineStart)
	}
	if n.pos >= len(n.data) {
		n.lineDone, n.eof = true, true
		return false
	}
	var out []byte
	inside := n.is(n.f.Enclosed, int(n.data[n.pos]))
	if inside {
		out = append(out, n.data[n.pos])
		n.pos++
	}
	done := func(wrapped bool) bool {
		n.text, n.wrapped = string(out), wrapped
		if wrapped {
			n.text = n.text[1:]
		}
		return true
	}
	for {
		if n.pos >= len(n.data) {
			n.lineDone, n.eof = true, true
			return done(false)
		}
		c := int(n.data[n.pos])
		if n.is(n.f.Escaped, c) {
			if n.pos+1 >= len(n.data) {
				out = append(out, byte(c))
				n.pos++
				continue
			}
			next := n.data[n.pos+1]
			if n.f.Escaped != n.f.Enclosed || int(next) == c {
				if next >= 0x80 && n.cs.multibyte() {
					n.pos++
					continue
				}
				n.pos += 2
				if next == 'N' {
					n.null = true
				}
				if at := strings.IndexByte("0ntrbZ", next); at >= 0 {
					next = "\x00\n\t\r\b\x1a"[at]
				}
				out = append(out, next)
				continue
			}
		}
		if !inside && n.term(n.lineEnd()) {
			n.lineDone = true
			return done(false)
		}
		if inside && n.is(n.f.Enclosed, c) {
			n.pos++
			switch {
			case n.pos < len(n.data) && n.is(n.f.Enclosed, int(n.data[n.pos])):
				n.pos++
			case n.pos >= len(n.data), n.term(n.lineEnd()):
				n.lineDone = true
				return done(true)
			case n.term(n.f.FieldEnd):
				return done(true)
			}
			out = append(out, byte(c))
			continue
		}
		if !inside && n.term(n.f.FieldEnd) {
			return done(false)
		}
		if !n.char(&out) {
			return false
		}
	}
}

// char takes one character.
func (n *naive) char(out *[]byte) bool {
	c := n.data[n.pos]
	size := 1
	if c >= 0x80 && n.cs.multibyte() {
		if size = n.cs.lead(c); size == 0 {
			n.no = true
			return false
		}
		if n.pos+size > len(n.data) || !whole(n.data[n.pos:n.pos+size]) {
			size = 1
		}
	}
	*out = append(*out, n.data[n.pos:n.pos+size]...)
	n.pos += size
	return true
}

func (n *naive) nextLine() bool {
	n.cut = false
	n.start = n.f.LineStart != ""
	if n.lineDone || n.eof {
		n.lineDone = false
		return !n.eof
	}
	if n.lineEnd() == "" {
		return true
	}
	for {
		if n.pos >= len(n.data) {
			n.eof = true
			return false
		}
		c := int(n.data[n.pos])
		if n.is(n.f.Escaped, c) {
			n.cut = true
			if n.pos += 2; n.pos > len(n.data) {
				n.eof = true
				return false
			}
			continue
		}
		if n.term(n.lineEnd()) {
			return true
		}
		var skipped []byte
		if !n.char(&skipped) {
			n.no = false
			n.pos++
		}
		n.cut = true
	}
}

// rows reads a file as lines of columns fields at most, in a form to compare.
func (n *naive) rows(columns int) string {
	var b strings.Builder
	n.start = n.f.LineStart != ""
	for {
		k := 0
		for ; k < columns && n.field(); k++ {
			show(&b, n.text, n.null && len(n.text) == 1 || !n.wrapped && n.f.Enclosed != "" && n.text == "NULL")
		}
		if n.no {
			return b.String() + "!"
		}
		if k == 0 {
			return b.String()
		}
		more := n.nextLine()
		fmt.Fprintf(&b, "%t\n", more && n.cut)
		if !more {
			return b.String()
		}
	}
}

func show(b *strings.Builder, text string, null bool) {
	if null {
		b.WriteString("NULL|")
	} else {
		fmt.Fprintf(b, "%q|", text)
	}
}

func rows(r *Reader, columns int) string {
	var b strings.Builder
	for {
		k := 0
		for ; k < columns && r.Field(); k++ {
			show(&b, string(r.Text()), r.IsNull())
		}
		if r.Err() != nil {
			return b.String() + "!"
		}
		if k == 0 {
			return b.String()
		}
		more := r.NextLine()
		fmt.Fprintf(&b, "%t\n", more && r.Cut())
		if !more {
			return b.String()
		}
	}
}

var (
	tabs  = Format{FieldEnd: "\t", LineEnd: "\n", Escaped: `\`}
	comma = Format{FieldEnd: ",", LineEnd: "\n", Enclosed: `"`, Escaped: `\`}
)

func TestRows(t *testing.T) {
	with := func(f Format, change func(*Format)) Format { change(&f); return f }
	for _, c := range []struct {
		name, text string
		f          Format
		want       string
	}{
		{"nothing", "", tabs, ``},
		{"a line", "a\tb\n", tabs, `"a"|"b"|false` + "\n"},
		{"no newline at the end", "a\tb", tabs, `"a"|"b"|false` + "\n"},
		{"an empty line", "\n", tabs, `""|false` + "\n"},
		{"empty fields", "\t\n", tabs, `""|""|false` + "\n"},
		{"too few", "a\nb\tc\n", tabs, `"a"|false` + "\n" + `"b"|"c"|false` + "\n"},
		{"too many", "a\tb\tc\nd\te\n", tabs, `"a"|"b"|true` + "\n" + `"d"|"e"|false` + "\n"},
		{"too many in the last line without an end", "a\tb\tc", tabs, `"a"|"b"|false` + "\n"},
		{"a separator behind the last", "a\tb\t\n", tabs, `"a"|"b"|false` + "\n"},
		{"escapes", `\n\t\\\0\Z\x` + "\t\\\n\n", tabs, `"\n\t\\\x00\x1ax"|"\n"|false` + "\n"},
		{"NULL", `\N` + "\t" + `\Nx` + "\n", tabs, `NULL|"Nx"|false` + "\n"},
		{"the word NULL", "NULL,\"NULL\"\n", comma, `NULL|"NULL"|false` + "\n"},
		{"the word NULL without quotes", "NULL\tx\n", tabs, `"NULL"|"x"|false` + "\n"},
		{"quotes", "\"a,b\",\"c\nd\"\n", comma, `"a,b"|"c\nd"|false` + "\n"},
		{"doubled quotes", `"a""b",c""d` + "\n", comma, `"a\"b"|"c\"\"d"|false` + "\n"},
		{"text behind a quote", `"a"b",c` + "\n", comma, `"a\"b"|"c"|false` + "\n"},
		{"a quote that does not end", `"a,b`, comma, `"\"a,b"|false` + "\n"},
		{"quotes that are escapes", `"a""b",c` + "\n", with(comma, func(f *Format) { f.Escaped = `"` }), `"a\"b"|"c"|false` + "\n"},
		{"no escapes", `a\,b` + "\n", with(comma, func(f *Format) { f.Escaped = "" }), `"a\\"|"b"|false` + "\n"},
		{"an escape at the end", `a\`, tabs, `"a\\"|false` + "\n"},
		{"long separators", "a<>b<<>>\nc<><d<>>", Format{FieldEnd: "<>", LineEnd: "<>>\n"}, `"a"|"b<"|false` + "\n" + `"c"|"<d"|false` + "\n"},
		{"line starts", "x: a\tb\nnone\nyx: c\td\n", with(tabs, func(f *Format) { f.LineStart = "x: " }), `"a"|"b"|false` + "\n" + `"c"|"d"|false` + "\n"},
		{"line start without end", "none", with(tabs, func(f *Format) { f.LineStart = "x: " }), ``},
		{"lines without ends", "a,b,c,d", Format{FieldEnd: ","}, `"a"|"b"|false` + "\n" + `"c"|"d"|false` + "\n"},
		{"fields and lines end alike", "a,b,c", Format{FieldEnd: ",", LineEnd: ","}, `"a"|"b"|false` + "\n" + `"c"|false` + "\n"},
		{"CRLF", "a\tb\r\n", tabs, `"a"|"b\r"|false` + "\n"},
		{"a byte order mark", "\ufeffa\tb\n", tabs, `"\ufeffa"|"b"|false` + "\n"},
		{"characters", "ä\t日本\n", tabs, `"ä"|"日本"|false` + "\n"},
		{"half a character", "\xe9t\xc3\tb\n", tabs, `"\xe9t\xc3"|"b"|false` + "\n"},
		{"no character", "a\xff", tabs, `!`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, block := range []int{1, 2, 3, 1 << 16} {
				r := NewReader(strings.NewReader(c.text), c.f, Options{MaxField: 1 << 20, Block: block})
				if got := rows(r, 2); got != c.want {
					t.Errorf("blocks of %d: %s, want %s", block, got, c.want)
				}
			}
			n := &naive{data: []byte(c.text), f: c.f}
			if got := n.rows(2); got != c.want {
				t.Errorf("naive: %s, want %s", got, c.want)
			}
		})
	}
}

func TestSkip(t *testing.T) {
	for _, c := range []struct {
		text, want string
		f          Format
		lines      int64
	}{
		{"h\"\n\"i\na\tb\n", `"\"i"|false` + "\n" + `"a"|"b"|false` + "\n", tabs, 1},
		{"h\\\ni\na\tb\n", `"a"|"b"|false` + "\n", tabs, 1},
		{"h", ``, tabs, 1},
		{"h", ``, tabs, 5},
		{"a,b,c,d", `"c"|"d"|false` + "\n", Format{FieldEnd: ","}, 1},
		{"a,b", `"a"|"b"|false` + "\n", Format{FieldEnd: ",", LineEnd: ","}, 1},
	} {
		r := NewReader(strings.NewReader(c.text), c.f, Options{MaxField: 1 << 20, Block: 1})
		r.Skip(c.lines, 2)
		if got := rows(r, 2); got != c.want {
			t.Errorf("%q without %d lines: %s, want %s", c.text, c.lines, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("a\tb"), iotest.ErrReader(broken)), tabs, Options{MaxField: 10})
	if got := rows(r, 2); got != `"a"|!` || !errors.Is(r.Err(), broken) {
		t.Errorf("%s, %v", got, r.Err())
	}
	for _, text := range []string{strings.Repeat("x", 40), strings.Repeat(`\x`, 40), `"` + strings.Repeat("x", 40), strings.Repeat("x", 11) + ",\n"} {
		r := NewReader(strings.NewReader(text), comma, Options{MaxField: 10, Block: 4})
		if r.Field(); !errors.Is(r.Err(), ErrFieldTooLong) {
			t.Errorf("%.8s…: %v", text, r.Err())
		}
	}
	full := errors.New("no memory")
	r = NewReader(strings.NewReader(strings.Repeat("x", 40)), comma, Options{MaxField: 100, Block: 4, Grow: func(int64) error { return full }})
	if r.Field() || !errors.Is(r.Err(), full) {
		t.Errorf("memory refused: %v", r.Err())
	}
	r = NewReader(strings.NewReader("Campa\xf1a"), tabs, Options{MaxField: 100, Charset: UTF8MB3})
	if r.Field() || r.Err() == nil || r.Err().Error() != "Invalid utf8mb3 character string: 'Campa'" {
		t.Errorf("no character: %v", r.Err())
	}
}

// Long skipped lines take no memory.
func TestSkippedLinesStream(t *testing.T) {
	grew := false
	text := strings.Repeat("x", 1<<16) + "\n" + strings.Repeat("y", 1<<16) + ">a\tb\tc" + strings.Repeat("z", 1<<16) + "\n"
	f := tabs
	f.LineStart = ">"
	r := NewReader(strings.NewReader(text), f, Options{MaxField: 1 << 20, Block: 16, Grow: func(int64) error { grew = true; return nil }})
	r.Skip(1, 2)
	if got := rows(r, 2); got != `"a"|"b"|true`+"\n" || grew {
		t.Errorf("%s, more memory: %t", got, grew)
	}
}

func TestCharsets(t *testing.T) {
	for _, c := range []struct {
		cs       Charset
		in, want string
		ok       bool
	}{
		{UTF8MB4, "ä", "ä", true},
		{Binary, "\xff", "\xff", true},
		{Latin1, "caf\xe9 \x80\x81", "café €\u0081", true},
		{Latin1, "plain", "plain", true},
		{ASCII, "plain", "plain", true},
		{ASCII, "caf\xe9", "caf\xe9", false},
	} {
		if got, ok := c.cs.Decode(nil, []byte(c.in)); string(got) != c.want || ok != c.ok {
			t.Errorf("%s %q: %q, %t", c.cs, c.in, got, ok)
		}
		if again, ok := ParseCharset(c.cs.String()); !ok || again != c.cs {
			t.Errorf("%s is not found by its name", c.cs)
		}
	}
}

// A reader answers as the naive one does, wherever the reads of its source end.
func FuzzRows(f *testing.F) {
	f.Add([]byte("a,\"b\"\"\",\\N\nNULL,x\\"), ",", "\n", "", `"`, `\`, uint8(3), uint8(2), uint8(0))
	f.Add([]byte("x: a<>b<>>\ny"), "<>", "<>>", "x: ", "", "", uint8(1), uint8(1), uint8(1))
	f.Add([]byte("\"a\"\"b\"\"\"\"c\",é\xe9\n\xc3"), ",", "\n", "", `"`, `"`, uint8(2), uint8(3), uint8(0))
	f.Add([]byte("aab"), "a", "aa", "", "", "", uint8(1), uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, fieldEnd, lineEnd, lineStart, quote, escape string, block, columns, charset uint8) {
		format := Format{FieldEnd: fieldEnd, LineEnd: lineEnd, LineStart: lineStart, Enclosed: quote[:min(1, len(quote))], Escaped: escape[:min(1, len(escape))]}
		if fieldEnd == "" && quote == "" {
			t.Skip("rows of fixed length")
		}
		cs := Charset(charset % 5)
		k := int(columns%5) + 1
		n := &naive{data: data, f: format, cs: cs}
		want := n.rows(k)
		for _, size := range []int{int(block%16) + 1, 1 << 16} {
			r := NewReader(bytes.NewReader(data), format, Options{Charset: cs, MaxField: 1 << 20, Block: size})
			if got := rows(r, k); got != want {
				t.Errorf("blocks of %d: %s, want %s", size, got, want)
			}
		}
	})
}

func BenchmarkFields(b *testing.B) {
	line := "123456,12,some text,123.45,1.5,2026-01-02 03:04:05.678,2026-01-02,1\n"
	text := []byte(strings.Repeat(line, 10_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(text), comma, Options{MaxField: 1 << 20})
		for more := true; more; more = r.NextLine() {
			for range 8 {
				r.Field()
			}
		}
	}
	b.ReportMetric(float64(b.N*10_000)/b.Elapsed().Seconds(), "rows/s")
}
