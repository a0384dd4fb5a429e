package dialect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// seeds are the inputs of the scripts.
func seeds(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/scripts/*.script")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var out []string
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n\n") {
			input, _, _ := strings.Cut(block, "\n----")
			for strings.HasPrefix(input, "#") {
				_, input, _ = strings.Cut(input, "\n")
			}
			_, input, _ = strings.Cut(input, "\n")
			out = append(out, input)
			out = append(out, Split(input, ast.ParserOptions{})...)
		}
	}
	return out
}

// checkText holds the properties that every text has.
func checkText(t *testing.T, text string, options ast.ParserOptions) {
	t.Helper()
	p := New(Config{})
	for rest := text; rest != ""; {
		stmt, parsed, next, err := p.ParseWithOptions(context.Background(), rest, ';', true, options)
		var e *Error
		switch {
		case err == nil && stmt == nil:
			t.Fatalf("%q: neither statement nor error", rest)
		case errors.As(err, &e):
			if e.Pos < 0 || e.Pos > len(rest) || e.Line < 1 || e.Column < 1 || e.Message == "" {
				t.Fatalf("%q: bad error %+v", rest, e)
			}
		case err != nil && !errors.Is(err, ast.ErrEmpty):
			t.Fatalf("%q: error of type %T: %v", rest, err, err)
		}
		if !strings.Contains(rest, parsed) || !strings.HasSuffix(strings.TrimRight(rest, "; \t\r\n\v\f"), strings.TrimRight(next, "; \t\r\n\v\f")) {
			t.Fatalf("%q: parsed %q, rest %q", rest, parsed, next)
		}
		if len(next) >= len(rest) {
			t.Fatalf("%q: no progress", rest)
		}
		rest = next
	}
	checkPlain(t, text, options)
	CountParams(text, options)
}

// checkPlain compares the two ways of a statement that scanPlain lets through:
// the long one must leave its text as it is.
func checkPlain(t *testing.T, text string, options ast.ParserOptions) {
	t.Helper()
	end, like, ok := scanPlain(text, options.AnsiQuotes)
	if !ok {
		return
	}
	x := lex(text, 0, options.AnsiQuotes)
	if x.end != end {
		t.Fatalf("%q: ends at %d, by the lexer at %d", text, end, x.end)
	}
	if badToken(x) >= 0 {
		return
	}
	h := &host{options: options}
	g := &grammar{lexed: x, host: h}
	if stmt, err := g.ours(); stmt != nil || err != nil {
		t.Fatalf("%q: let through, but is ours: %v, %v", text, stmt, err)
	}
	r := &rewritten{src: x.src}
	post, err := h.splice(x, r, 0, len(x.tokens)-1, 0)
	if err != nil {
		t.Fatalf("%q: let through, but fails: %v", text, err)
	}
	if r.changed || post.like != like || len(post.reads) > 0 || post.windows {
		t.Fatalf("%q: let through, but becomes %q (like %v, %v)", text, r.out.String(), like, post.like)
	}
}

func TestPlainTextPassesThrough(t *testing.T) {
	plain := 0
	for _, s := range seeds(t) {
		for _, ansi := range []bool{false, true} {
			checkText(t, s, ast.ParserOptions{AnsiQuotes: ansi})
			if _, _, ok := scanPlain(s, ansi); ok {
				plain++
			}
		}
	}
	if plain < 50 {
		t.Errorf("only %d statements passed through unchanged", plain)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, false)
	}
	f.Add(`SELECT "a$b" FROM "t" WHERE x = 'y\%'`, true)
	f.Fuzz(func(t *testing.T, text string, ansi bool) {
		if len(text) > 1<<12 {
			return
		}
		checkText(t, text, ast.ParserOptions{AnsiQuotes: ansi})
	})
}

// TestDamagedStatements cuts every seed behind each of its tokens, and takes
// each token out: no such text may break a property or panic.
func TestDamagedStatements(t *testing.T) {
	for _, s := range seeds(t) {
		x := lex(s, 0, false)
		if len(x.tokens) > 120 {
			continue
		}
		for _, tok := range x.tokens[:len(x.tokens)-1] {
			checkText(t, s[:tok.end], ast.ParserOptions{})
			checkText(t, s[:tok.start]+s[tok.end:x.end], ast.ParserOptions{})
		}
	}
}

// TestDeepStatements: a statement that would exhaust the stack is refused.
func TestDeepStatements(t *testing.T) {
	for _, c := range []struct {
		name, query string
		ok          bool
	}{
		{"sum", "SELECT 1" + strings.Repeat("+1", 2_000), true},
		{"long sum", "SELECT 1" + strings.Repeat("+1", 100_000), false},
		{"parentheses", "SELECT " + strings.Repeat("(", 150) + "1" + strings.Repeat(")", 150), true},
		{"more parentheses", "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), false},
		{"type", "CREATE TABLE t (a " + strings.Repeat("ARRAY<", 100_000) + "INT" + strings.Repeat(">", 100_000) + ")", false},
		{"not", "SELECT " + strings.Repeat("NOT ", 200_000) + "1", false},
		{"not, before another", "SELECT " + strings.Repeat("NOT ", 1_000_000) + "1; SELECT 2", false},
		{"like", "SELECT 'a' LIKE 'b'" + strings.Repeat(" AND 1", 2_000), true},
	} {
		if _, err := New(Config{}).ParseSimple(c.query); (err == nil) != c.ok {
			t.Errorf("%s: %.200v", c.name, err)
		}
	}
}
