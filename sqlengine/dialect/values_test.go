package dialect

import (
	"strings"
	"testing"
)

func TestScanValues(t *testing.T) {
	for _, c := range []struct {
		text   string
		rows   string // "": left to the long way
		params int
	}{
		{"INSERT INTO t VALUES (1)", "(1)", 0},
		{"insert t value(-1.5e+3,'a;''b',?),( null , DEFAULT,now( )) ; SELECT 1", "(-1.5e+3,'a;''b',?),( null , DEFAULT,now( ))", 1},
		{"REPLACE INTO `d`.`t` (a, `b`) VALUES (TRUE,.5)", "(TRUE,.5)", 0},
		{"INSERT INTO default.t VALUES (CURRENT_TIMESTAMP, CURRENT_TIMESTAMP())", "(CURRENT_TIMESTAMP, CURRENT_TIMESTAMP())", 0},
		{"INSERT IGNORE INTO t VALUES (1)", "", 0},
		{"INSERT INTO t VALUES (1+1)", "", 0},
		{"INSERT INTO t VALUES (1.)", "(1.)", 0},
		{"INSERT INTO t VALUES (1x)", "", 0},
		{"INSERT INTO t VALUES ('a' 'b')", "", 0},
		{"INSERT INTO t VALUES ('a\\%')", "", 0},
		{"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1", "", 0},
		{"INSERT INTO t VALUES (1) /* x */", "", 0},
		{"INSERT INTO t$files VALUES (1)", "", 0},
		{"INSERT INTO t PARTITION (p=1) VALUES (1)", "", 0},
		{"INSERT INTO t VALUES ()", "", 0},
		{"INSERT INTO t VALUES (1", "", 0},
		{"INSERT INTO t VALUES ('", "", 0},
	} {
		s, _, ok := scanValues(c.text, false)
		if ok != (c.rows != "") {
			t.Errorf("%s: recognised %v", c.text, ok)
			continue
		}
		if ok && (s.Source[s.First:s.End] != c.rows || s.Params != c.params) {
			t.Errorf("%s: rows %q, %d parameters", c.text, s.Source[s.First:s.End], s.Params)
		}
	}
}

// FuzzScanValues compares what is recognised with the lexer.
func FuzzScanValues(f *testing.F) {
	f.Add("INSERT INTO t (a) VALUES (1,'x;y'),(?,NULL); SELECT 1", false)
	f.Add("REPLACE t VALUES (\"a\"\"b\", -.5e-3)", true)
	f.Fuzz(func(t *testing.T, text string, ansi bool) {
		s, end, ok := scanValues(text, ansi)
		if !ok {
			return
		}
		x := lex(text, 0, ansi)
		if x.end != end {
			t.Fatalf("%q ends at %d, not %d", text, x.end, end)
		}
		params := 0
		for _, tok := range x.tokens {
			switch tok.kind {
			case tBad, tHint, tVar:
				t.Fatalf("%q holds more than constants", text)
			case tParam:
				params++
			}
		}
		if params != s.Params {
			t.Fatalf("%q has %d parameters, not %d", text, params, s.Params)
		}
		if rows := s.Source[s.First:s.End]; !strings.HasPrefix(rows, "(") || !strings.HasSuffix(rows, ")") {
			t.Fatalf("rows %q", rows)
		}
	})
}
