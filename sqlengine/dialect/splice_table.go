package dialect

import (
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/hints"
)

// reference looks at a table reference that begins at i. It returns 0 if none
// does: a query in parentheses, LATERAL, and so on.
func (s *splicer) reference(i int) (int, error) {
	if s.tokens[i].kind == tWord {
		switch strings.ToUpper(s.text(i)) {
		case "LATERAL", "TABLE":
			return 0, nil
		case "SELECT", "WITH", "VALUES":
			s.top().expect, s.top().from = false, false
			return 0, nil
		}
	}
	s.top().expect = false
	parts := s.parts(i)
	end := i + 2*parts - 1
	if s.op(end, "(") {
		return 0, nil // a table function
	}
	if parts == 3 {
		s.catalog(i)
	} else if s.is(i, "DEFAULT") && parts == 2 {
		s.replace(s.tokens[i].start, s.tokens[i].end, "`"+s.text(i)+"`")
	}
	return end, s.options(end)
}

// options looks at what follows a table's name, from token i on: hints, time
// travel and alias in any order.
func (s *splicer) options(i int) error {
	rd := read{}
	nameEnd := s.tokens[i-1].end
	alias := -1
	at := -1 // first token of the time travel clause
	for i < s.last {
		switch {
		case s.tokens[i].kind == tHint || isBareHint(s.lexed, i):
			next, err := s.takeHint(i, &rd.options)
			if err != nil {
				return err
			}
			if rd.pos == 0 {
				rd.pos = s.tokens[i].start
			}
			i = next
			continue
		case s.isPeriod(i):
			return unsupported(s.tokens[i].start, "FOR SYSTEM_TIME over a period; the option 'incremental-between' reads changes")
		case at < 0:
			if kind, n := s.travel(i); n > 0 {
				rd.kind, at = kind, i
				end := s.expression(i + n)
				if end == i+n {
					return syntaxError(s.src[:s.end], s.tokens[end].start, "expected a time or a version")
				}
				s.travelEdits(i, n, end, alias, s.base+len(s.reads))
				if rd.pos == 0 {
					rd.pos = s.tokens[i].start
				}
				i = end
				continue
			}
		}
		if s.is(i, "PARTITION") && s.op(i+1, "(") {
			i = s.closeParen(i+1) + 1
			continue
		}
		if alias < 0 {
			if s.is(i, "AS") && i+1 < s.last && !s.is(i+1, "OF") {
				i++
			}
			if s.isAlias(i) {
				alias = i
				i++
				continue
			}
		}
		break
	}
	if at < 0 && rd.options == nil {
		return nil
	}
	if at < 0 {
		s.replace(nameEnd, nameEnd, " AS OF "+asOfFunc+"("+strconv.Itoa(s.base+len(s.reads))+")")
	}
	s.reads = append(s.reads, rd)
	return nil
}

// takeHint reads the hint at token i, adds its options and blanks it.
func (s *splicer) takeHint(i int, to *hints.Set) (int, error) {
	start := s.tokens[i].start
	set, end, err := parseHint(s.lexed, start)
	if err != nil {
		return 0, err
	}
	for _, o := range set {
		if _, twice := to.Get(o.Key); twice {
			return 0, syntaxError(s.src[:s.end], o.KeyPos, "key '"+o.Key+"' is given twice")
		}
		*to = append(*to, o)
	}
	s.replace(start, end, " ")
	if s.handled == nil {
		s.handled = map[int]bool{}
	}
	s.handled[i] = true
	for i < s.last && s.tokens[i].start < end {
		i++
	}
	return i, nil
}

// travel reports whether a time travel clause begins at i: its kind and the
// number of words before the expression.
func (s *splicer) travel(i int) (hints.AtKind, int) {
	n := 0
	if s.is(i, "FOR") {
		n = 1
	}
	kind := hints.AtNone
	switch {
	case s.is(i+n, "SYSTEM_TIME"), s.is(i+n, "TIMESTAMP"):
		kind = hints.AtTime
	case s.is(i+n, "VERSION"), s.is(i+n, "SYSTEM_VERSION"):
		kind = hints.AtVersion
	}
	if kind != hints.AtNone && s.is(i+n+1, "AS") && s.is(i+n+2, "OF") {
		return kind, n + 3
	}
	if n == 0 && s.is(i, "AS") && s.is(i+1, "OF") && s.expression(i+2) > i+2 {
		return hints.AtTime, 2
	}
	return hints.AtNone, 0
}

// isPeriod reports whether a clause for a span of versions begins at i, which
// the host's parser takes: FOR SYSTEM_TIME BETWEEN, FROM, CONTAINED IN, ALL.
func (s *splicer) isPeriod(i int) bool {
	n := i + 1
	if s.is(i, "FOR") && (s.is(i+1, "SYSTEM_TIME") || s.is(i+1, "VERSION")) {
		n = i + 2
	} else if !s.is(i, "VERSIONS") {
		return false
	}
	return s.is(n, "BETWEEN") || s.is(n, "FROM") || s.is(n, "CONTAINED") || s.is(n, "ALL")
}

// travelEdits replaces a clause of n words at i, whose expression ends at end,
// by AS OF __lk_asof(number, expression), before an alias.
func (s *splicer) travelEdits(i, n, end, alias, number int) {
	s.replace(s.tokens[i].start, s.tokens[i+n-1].end, "AS OF "+asOfFunc+"("+strconv.Itoa(number)+",")
	after := ")"
	if alias >= 0 {
		from := s.tokens[alias].start
		if s.is(alias-1, "AS") {
			from = s.tokens[alias-1].start
		}
		s.replace(from, s.tokens[alias].end, "")
		name, _ := s.name(alias)
		after += " AS " + quoteName(name)
	}
	pos := s.tokens[end-1].end
	s.closing = append(s.closing, edit{pos, pos, after})
}

// expression returns the index behind the expression at i, which ends where an
// operand is followed by a name or a word that begins another clause.
func (s *splicer) expression(i int) int {
	operand := false
	for i < s.last {
		t := s.tokens[i]
		switch {
		case t.kind == tHint:
			return i
		case s.op(i, "("):
			i = s.closeParen(i)
			operand = true
		case t.kind == tOp && strings.ContainsAny(s.text(i), "),;"):
			return i
		case t.kind == tOp:
			operand = false
		case t.kind != tWord:
			if operand && t.kind != tString {
				return i
			}
			operand = true
		case isReserved(s.text(i)) && !(s.op(i+1, "(") && !operand) || isBareHint(s.lexed, i):
			return i
		case s.is(i, "INTERVAL") && !operand:
			i = s.interval(i)
			operand = true
		case operand && !(s.is(i, "DIV") || s.is(i, "MOD") || s.is(i, "COLLATE")):
			return i
		case operand:
			operand = false
		case i+1 < s.last && s.tokens[i+1].kind == tString: // TIMESTAMP '…'
			i++
			operand = true
		default:
			operand = true
		}
		i++
	}
	return i
}

// interval returns the index of the unit of the INTERVAL at i.
func (s *splicer) interval(i int) int {
	i++
	if s.op(i, "-") || s.op(i, "+") {
		i++
	}
	if s.op(i, "(") {
		i = s.closeParen(i)
	}
	return min(i+1, s.last-1)
}

// closeParen returns the index of the ')' for the '(' at i, or the last token.
func (s *splicer) closeParen(i int) int {
	depth := 0
	for ; i < s.last; i++ {
		if s.op(i, "(") {
			depth++
		} else if s.op(i, ")") {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return s.last - 1
}

// reserved are the words that may follow a table reference: no alias.
var reserved = words(`AS ON USING WHERE GROUP ORDER HAVING LIMIT UNION INTERSECT EXCEPT SET FOR WINDOW
	JOIN INNER LEFT RIGHT CROSS NATURAL STRAIGHT_JOIN FULL OUTER PARTITION USE IGNORE FORCE LOCK INTO
	VALUES SELECT WITH PROCEDURE AND OR XOR NOT BETWEEN IN IS LIKE FROM WHEN VERSIONS LATERAL FETCH OFFSET`)

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func isReserved(w string) bool { return reserved[strings.ToUpper(w)] }

// isAlias reports whether token i is a table's alias.
func (s *splicer) isAlias(i int) bool {
	if i >= s.last {
		return false
	}
	switch s.tokens[i].kind {
	case tQuoted:
		return true
	case tWord:
		return !isReserved(s.text(i)) && !s.op(i+1, "(") && !s.op(i+1, ".")
	}
	return false
}
