package hints

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Set
		n    int // -1: the whole text
	}{
		{`/*+ OPTIONS('a'='b') */`, Set{{"a", "b", 12, 16}}, -1},
		{`OPTIONS ('scan.mode' = "latest",'x'='')`, Set{{"scan.mode", "latest", 9, 23}, {"x", "", 32, 36}}, -1},
		{"/*+options\n(\n'a'='it''s',\n'b'='c\\'d\\n\\%')*/ x", Set{{"a", "it's", 13, 17}, {"b", "c'd\n\\%", 26, 30}}, 43},
		{`OPTIONS('a'='b') o WHERE x = ')'`, Set{{"a", "b", 8, 12}}, 16},
		{`  OPTIONS('größe'='中')`, Set{{"größe", "中", 10, 20}}, -1},
	} {
		got, n, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if c.n < 0 {
			c.n = len(c.text)
		}
		if !reflect.DeepEqual(got, c.want) || n != c.n {
			t.Errorf("%q: %v, %d bytes; want %v, %d", c.text, got, n, c.want, c.n)
		}
		for _, o := range got {
			if q := c.text[o.KeyPos]; q != '\'' && q != '"' {
				t.Errorf("%q: position of %s points at %q", c.text, o.Key, q)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		pos    int
		detail string
	}{
		{``, 0, "expected OPTIONS"},
		{`/*+ BKA(t) */`, 4, "expected OPTIONS"},
		{`OPTIONSX('a'='b')`, 0, "expected OPTIONS"},
		{`OPTIONS$('a'='b')`, 0, "expected OPTIONS"},
		{`OPTIONS 'a'`, 8, "expected '('"},
		{`OPTIONS()`, 8, "expected a quoted key"},
		{`OPTIONS(a='b')`, 8, "expected a quoted key"},
		{`OPTIONS('a')`, 11, "expected '=' after the key 'a'"},
		{`OPTIONS('a'=1)`, 12, "expected a quoted value"},
		{`OPTIONS('a'='b`, 12, "the quoted value has no end"},
		{"OPTIONS('a'='\xff')", 12, "the quoted value is not UTF-8"},
		{`OPTIONS('a'='b\`, 12, "the quoted value has no end"},
		{`OPTIONS('a'='b' 'c'='d')`, 16, "expected ',' or ')' after the value of 'a'"},
		{`OPTIONS('a'='b',)`, 16, "expected a quoted key"},
		{`OPTIONS('a'='b','a'='c')`, 16, "key 'a' is given twice"},
		{`/*+ OPTIONS('a'='b')`, 20, "expected the end of the hint"},
		{`/*+ OPTIONS('a'='b'), BKA(t) */`, 20, "expected the end of the hint"},
	} {
		_, _, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: no error of this package: %v", c.text, err)
			continue
		}
		if e.Pos != c.pos || !strings.HasPrefix(e.Detail, c.detail) {
			t.Errorf("%q: %q at %d, want %q at %d", c.text, e.Detail, e.Pos, c.detail, c.pos)
		}
	}
}

func TestSet(t *testing.T) {
	s, _, err := Parse(`OPTIONS ('b'='1', 'a'='it''s \\ ')`)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Get("a"); !ok || v != `it's \ ` {
		t.Errorf("Get: %q, %v", v, ok)
	}
	if _, ok := s.Get("A"); ok {
		t.Error("keys compare without case")
	}
	if want := map[string]string{"a": `it's \ `, "b": "1"}; !reflect.DeepEqual(s.Map(), want) {
		t.Errorf("Map: %v", s.Map())
	}
	if want := `OPTIONS ('b'='1', 'a'='it''s \\ ')`; s.String() != want {
		t.Errorf("String: %s", s)
	}
	s.Shift(10)
	if s[0].KeyPos != 19 || s[0].ValuePos != 23 {
		t.Errorf("Shift: %v", s)
	}
	if Set(nil).Map() != nil {
		t.Error("Map of nothing is not nil")
	}
}

func TestCarriers(t *testing.T) {
	value, empty := "2026-01-01", ""
	set := Set{{Key: "b", Value: "1"}, {Key: "a", Value: "'\"\x00中/"}}
	for _, r := range []Read{
		{},
		{Options: set},
		{At: At{Kind: AtVersion, Text: "5", Number: true}},
		{Options: set, At: At{Kind: AtTime, Text: "2026-01-01 00:00:00.5"}},
		{At: At{Kind: AtTime, Unbound: true}},
	} {
		got, ok, err := DecodeRead(r.Encode())
		if err != nil || !ok || !reflect.DeepEqual(got, r) {
			t.Errorf("%+v becomes %+v, %v, %v", r, got, ok, err)
		}
	}
	if _, ok, err := DecodeRead("2026-01-01"); ok || err != nil {
		t.Errorf("a plain time is taken for options: %v, %v", ok, err)
	}
	if _, ok, err := DecodeRead("\x01{"); !ok || err == nil {
		t.Errorf("damaged: %v, %v", ok, err)
	}
	for _, target := range []Target{
		{Overwrite: true},
		{Options: set},
		{Options: set, Overwrite: true, Partition: []PartitionValue{{Column: "dt", Value: &value}, {Column: "hh"}, {Column: "x", Null: true}, {Column: "y", Value: &empty}}},
	} {
		for _, db := range []string{"", "db", "catalog.db"} {
			q := target.Qualify(db)
			if q != strings.ToLower(q) {
				t.Errorf("%s changes when lower-cased", q)
			}
			gotDB, got, ok, err := SplitQualifier(q)
			if err != nil || !ok || gotDB != db || !reflect.DeepEqual(got, target) {
				t.Errorf("%+v becomes %q %+v, %v, %v", target, gotDB, got, ok, err)
			}
		}
	}
	if db, _, ok, err := SplitQualifier("plain"); db != "plain" || ok || err != nil {
		t.Errorf("plain: %q, %v, %v", db, ok, err)
	}
	for _, damaged := range []string{"db/zz", "db/7b", "db/"} {
		if _, _, ok, err := SplitQualifier(damaged); !ok || err == nil {
			t.Errorf("%s: %v, %v", damaged, ok, err)
		}
	}
	if !(Target{}).IsZero() || (Target{Overwrite: true}).IsZero() {
		t.Error("IsZero")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`/*+ OPTIONS('a'='b') */`, `OPTIONS ('a'="b", 'c'='d''e\'f') x`, `/*+`, `OPTIONS('`, `options ( 'a' = '\`,
		`OPTIONS('a'='b','a'='c')`, "/*+ OPTIONS('a'='b')*",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, n, err := Parse(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Pos < 0 || e.Pos > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if n <= 0 || n > len(text) || len(set) == 0 {
			t.Fatalf("%q: %d bytes, %v", text, n, set)
		}
		again, m, err := Parse(set.String())
		if err != nil || m != len(set.String()) || !reflect.DeepEqual(again.Map(), set.Map()) || len(again) != len(set) {
			t.Fatalf("%q: prints as %s, which is %v, %v", text, set, again, err)
		}
		r := Read{Options: set}
		if got, ok, err := DecodeRead(r.Encode()); !ok || err != nil || !reflect.DeepEqual(got.Options.Map(), set.Map()) {
			t.Fatalf("%q: carried as %v, %v, %v", text, got, ok, err)
		}
	})
}
