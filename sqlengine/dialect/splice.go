package dialect

import (
	"sort"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/hints"
)

// asOfFunc is the function that stands for a table's options and time travel
// between the two passes: AS OF __lk_asof(n [, time]).
const asOfFunc = "__lk_asof"

// read is what one __lk_asof call stands for.
type read struct {
	options hints.Set
	kind    hints.AtKind
	pos     int
}

// splicer finds the bits of ours in a statement of the host and replaces them.
// It follows the statement just far enough to know where a table may stand: one
// level per open parenthesis.
type splicer struct {
	*lexed
	first, last int // the tokens to look at
	edits       []edit
	closing     []edit // come after other edits at the same place
	handled     map[int]bool
	reads       []read
	levels      []level
	base        int    // number of the first read
	deleteFrom  int    // the FROM of a DELETE; 0 is none
	verb        string // the statement's first word, upper case
	like        bool   // LIKE occurs
	windows     bool   // a window function with an interval occurs
}

// level is the state inside one pair of parentheses.
type level struct {
	query  bool // a query or a DML statement is being read
	expect bool // a table reference comes next
	from   bool // in a list of table references: a comma brings another one
}

func (s *splicer) replace(from, to int, text string) {
	s.edits = append(s.edits, edit{from, to, text})
}

// splice writes tokens [first, last) to r, with what is ours replaced.
// Numbers of reads count from base on.
func (h *host) splice(x *lexed, r *rewritten, first, last, base int) (postPass, error) {
	s := &splicer{lexed: x, first: first, last: last, base: base, levels: []level{{}}}
	if err := s.run(); err != nil {
		return postPass{}, err
	}
	from, to := x.tokens[first].start, x.tokens[last].start
	r.apply(from, to, s.all(from, to))
	return postPass{src: x, reads: s.reads, placed: make([]bool, len(s.reads)), like: s.like, windows: s.windows}, nil
}

// all returns the edits in [from, to), sorted, with the lexer's repairs that no
// edit covers.
func (s *splicer) all(from, to int) []edit {
	var out []edit
	for _, r := range s.repairs {
		if r.from >= from && r.to <= to && !s.covered(r) {
			out = append(out, r)
		}
	}
	out = append(append(out, s.edits...), s.closing...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

func (s *splicer) covered(r edit) bool {
	for _, e := range s.edits {
		if e.from < e.to && e.from <= r.from && r.to <= e.to {
			return true
		}
	}
	return false
}

func (s *splicer) top() *level { return &s.levels[len(s.levels)-1] }

func (s *splicer) run() error {
	if s.tokens[s.first].kind == tWord {
		s.verb = strings.ToUpper(s.text(s.first))
	}
	for i := s.first; i < s.last; {
		next, err := s.token(i)
		if err != nil {
			return err
		}
		i = next
	}
	return nil
}

// token looks at token i and returns the index of the one to look at next.
func (s *splicer) token(i int) (int, error) {
	l := s.top()
	switch t := s.tokens[i]; t.kind {
	case tHint:
		if !s.handled[i] && hints.IsOptions(s.text(i)) {
			return 0, syntaxError(s.src[:s.end], t.start, "OPTIONS must follow the name of a table;")
		}
	case tOp:
		switch s.src[t.start] {
		case '(':
			in := level{}
			if l.expect {
				l.expect = false
				in = level{expect: true, from: true}
			}
			s.levels = append(s.levels, in)
		case ')':
			if len(s.levels) > 1 {
				s.levels = s.levels[:len(s.levels)-1]
			}
		case ',':
			l.expect = l.from
		case '{':
			return s.escape(i), nil
		}
	case tWord, tQuoted:
		if l.expect {
			if next, err := s.reference(i); next > 0 || err != nil {
				return next, err
			}
		}
		if t.kind == tWord {
			return s.word(i)
		}
		return s.dotted(i), nil
	}
	return i + 1, nil
}

// word handles a bare word that names no table.
func (s *splicer) word(i int) (int, error) {
	l := s.top()
	switch strings.ToUpper(s.text(i)) {
	case "SELECT":
		*l = level{query: true}
	case "FROM":
		switch {
		case len(s.levels) == 1 && i == s.deleteFrom:
			return s.deleteTarget(i)
		case l.query && !s.is(i-1, "DISTINCT"):
			l.expect, l.from = true, true
		}
	case "JOIN", "STRAIGHT_JOIN":
		l.expect = true
	case "USING":
		if s.deleteFrom > 0 && len(s.levels) == 1 && !s.op(i+1, "(") {
			l.expect, l.from = true, true
		}
	case "DELETE":
		if s.isDML(i) {
			l.query = true
			s.deleteFrom = s.fromOfDelete(i)
		}
	case "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "SET", "UNION", "INTERSECT", "EXCEPT", "WINDOW", "VALUES":
		l.from, l.expect = false, false
	case "UPDATE":
		if s.isDML(i) {
			l.query = true
			l.expect, l.from = true, true
			return s.priorities(i + 1), nil
		}
	case "INSERT", "REPLACE":
		if s.isDML(i) {
			return s.insertTarget(i)
		}
	case "DO":
		if i == s.first {
			s.replace(s.tokens[i].start, s.tokens[i].end, "SET @__lk_do =")
		}
	case "LIKE":
		s.like = true
	case "CAST", "CONVERT":
		if s.op(i+1, "(") {
			s.cast(i)
		}
	case "DATE", "TIME", "TIMESTAMP":
		if i+1 < s.last && s.tokens[i+1].kind == tString && !s.op(i-1, ".") {
			return s.timeLiteral(i)
		}
	case "TUMBLE", "HOP", "CUMULATE", "TUMBLE_START", "TUMBLE_END", "HOP_START", "HOP_END",
		"CUMULATE_START", "CUMULATE_END", "SESSION_START", "SESSION_END":
		s.windows = s.windows || s.op(i+1, "(")
	case "EXTENDED", "FORMATTED":
		if (s.verb == "DESCRIBE" || s.verb == "DESC") && i == s.first+1 && i+1 < s.last {
			s.replace(s.tokens[i].start, s.tokens[i].end, "")
		}
	case "CASCADE":
		if s.verb == "DROP" && (s.is(s.first+1, "DATABASE") || s.is(s.first+1, "SCHEMA")) && i+1 == s.last {
			s.replace(s.tokens[i].start, s.tokens[i].end, "")
		}
	case "DEFAULT":
		if s.isDefaultDatabase(i) {
			s.replace(s.tokens[i].start, s.tokens[i].end, "`"+s.text(i)+"`")
			if !s.op(i+1, ".") {
				return i + 1, nil
			}
		}
	}
	return s.dotted(i), nil
}

// isDML reports whether the verb at i begins a statement that writes, behind a
// WITH or not, rather than being a function or a word of another clause.
func (s *splicer) isDML(i int) bool {
	return i == s.first || s.verb == "WITH" && len(s.levels) == 1 && !s.top().query && s.op(i-1, ")")
}

// isDefaultDatabase reports whether the word DEFAULT at i names the database.
func (s *splicer) isDefaultDatabase(i int) bool {
	if s.op(i+1, ".") {
		return true
	}
	if i == s.first {
		return false
	}
	switch s.verb {
	case "USE":
		return i == s.first+1
	case "SHOW":
		return s.is(i-1, "FROM") || s.is(i-1, "IN") || s.is(i-1, "DATABASE") || s.is(i-1, "SCHEMA") || s.is(i-1, "EXISTS")
	case "CREATE", "DROP", "ALTER":
		return (s.is(s.first+1, "DATABASE") || s.is(s.first+1, "SCHEMA")) &&
			(s.is(i-1, "DATABASE") || s.is(i-1, "SCHEMA") || s.is(i-1, "EXISTS"))
	}
	return false
}

// nameStatements are statements in which a name of three parts is a table.
var nameStatements = map[string]bool{
	"DESCRIBE": true, "DESC": true, "SHOW": true, "DROP": true, "TRUNCATE": true, "RENAME": true,
	"LOCK": true, "CREATE": true, "ANALYZE": true, "GRANT": true, "REVOKE": true, "EXPLAIN": true,
}

// dotted looks at the names with dots that begin at i: a.b.c.d is a column by
// catalog, database and table; a.b.c is a table in the statements that only
// name one. It returns the index behind the names.
func (s *splicer) dotted(i int) int {
	parts := s.parts(i)
	query := s.top().query
	if parts == 4 || parts == 3 && !query && nameStatements[s.verb] {
		s.catalog(i)
	}
	return i + max(2*parts-1, 1)
}

// parts counts the names with dots that begin at token i.
func (s *splicer) parts(i int) int {
	n := 0
	for i < s.last {
		if _, ok := s.name(i); !ok {
			break
		}
		n++
		if !s.op(i+1, ".") {
			break
		}
		i += 2
	}
	return n
}

// catalog makes one name of catalog and database, which are at i and i+2.
func (s *splicer) catalog(i int) {
	c, _ := s.name(i)
	d, _ := s.name(i + 2)
	s.replace(s.tokens[i].start, s.tokens[i+2].end, quoteName(c+"."+d))
}

func quoteName(n string) string { return "`" + strings.ReplaceAll(n, "`", "``") + "`" }

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
			return unsupported(s.tokens[i].start, "reading all versions of a period; the option 'incremental-between' reads changes")
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
