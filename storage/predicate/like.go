package predicate

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// pattern is a LIKE pattern made ready.
type pattern struct {
	op   Op     // OpEq, OpStartsWith, OpEndsWith or OpContains with text, else OpLike
	text string // also for OpLike: what every match begins with
	toks []likeToken
	utf8 bool // _ is a character, not a byte

	parts []string // of OpLike without _: the texts between the %, the first and last at the ends
}

type likeKind uint8

const (
	likeText likeKind = iota // the byte b
	likeOne                  // _
	likeAny                  // %
)

type likeToken struct {
	kind likeKind
	b    byte
}

// parseLike reads a pattern. A run of % counts as one. A backslash at the end stands for
// itself.
func parseLike(s string, text bool) *pattern {
	p := &pattern{utf8: text}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%':
			if n := len(p.toks); n == 0 || p.toks[n-1].kind != likeAny {
				p.toks = append(p.toks, likeToken{kind: likeAny})
			}
			continue
		case c == '_':
			p.toks = append(p.toks, likeToken{kind: likeOne})
			continue
		case c == '\\' && i+1 < len(s):
			i++
		}
		p.toks = append(p.toks, likeToken{b: s[i]})
	}
	p.simplify()
	return p
}

// simplify finds the patterns that need no matching token by token.
func (p *pattern) simplify() {
	from, to := 0, len(p.toks)
	front := to > 0 && p.toks[0].kind == likeAny
	back := to > 0 && p.toks[to-1].kind == likeAny
	if front {
		from++
	}
	if back && to > from {
		to--
	}
	var lit strings.Builder
	plain := true
	for _, t := range p.toks[from:to] {
		if t.kind != likeText {
			plain = false
			break
		}
		lit.WriteByte(t.b)
	}
	p.text = lit.String()
	switch {
	case !plain:
		p.op = OpLike
		if front {
			p.text = ""
		}
		p.split()
	case front && back && p.text == "":
		p.op = OpStartsWith // every text
	case front && back:
		p.op = OpContains
	case front:
		p.op = OpEndsWith
	case back:
		p.op = OpStartsWith
	default:
		p.op = OpEq
	}
}

// split cuts a pattern without _ at its %.
func (p *pattern) split() {
	var part []byte
	var parts []string
	for _, t := range p.toks {
		switch t.kind {
		case likeOne:
			return
		case likeAny:
			parts, part = append(parts, string(part)), part[:0]
		default:
			part = append(part, t.b)
		}
	}
	p.parts = append(parts, string(part))
}

// matchParts finds the parts one after another: the first at the start, the last at
// the end, the others as early as they come.
func (p *pattern) matchParts(s []byte) bool {
	last := len(p.parts) - 1
	if !hasPrefix(s, p.parts[0]) {
		return false
	}
	s = s[len(p.parts[0]):]
	if !hasSuffix(s, p.parts[last]) {
		return false
	}
	s = s[:len(s)-len(p.parts[last])]
	for _, part := range p.parts[1:last] {
		at := bytes.Index(s, []byte(part))
		if at < 0 {
			return false
		}
		s = s[at+len(part):]
	}
	return true
}

func (p *pattern) match(s []byte) bool {
	switch p.op {
	case OpEq:
		return string(s) == p.text
	case OpStartsWith:
		return hasPrefix(s, p.text)
	case OpEndsWith:
		return hasSuffix(s, p.text)
	case OpContains:
		return contains(s, p.text)
	}
	if p.parts != nil {
		return p.matchParts(s)
	}
	return hasPrefix(s, p.text) && p.walk(s)
}

// walk matches from left to right. After a mismatch it goes back to the last % and lets
// that take one more character; earlier ones need never be revisited.
func (p *pattern) walk(s []byte) bool {
	ti, si := 0, 0
	starT, starS := -1, 0
	for si < len(s) || ti < len(p.toks) {
		if ti < len(p.toks) {
			switch t := p.toks[ti]; {
			case t.kind == likeAny:
				starT, starS = ti, si
				ti++
				continue
			case si < len(s) && t.kind == likeOne:
				si += p.step(s[si:])
				ti++
				continue
			case si < len(s) && s[si] == t.b:
				si++
				ti++
				continue
			}
		}
		if starT < 0 || starS >= len(s) {
			return false
		}
		starS += p.step(s[starS:])
		ti, si = starT+1, starS
	}
	return true
}

func (p *pattern) step(s []byte) int {
	if !p.utf8 {
		return 1
	}
	_, n := utf8.DecodeRune(s)
	return n
}

func hasPrefix(s []byte, p string) bool { return len(s) >= len(p) && string(s[:len(p)]) == p }
func hasSuffix(s []byte, p string) bool { return len(s) >= len(p) && string(s[len(s)-len(p):]) == p }
func contains(s []byte, p string) bool  { return bytes.Contains(s, []byte(p)) }
