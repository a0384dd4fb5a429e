package dialect

import (
	"sort"
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
	casts       bool   // CAST or CONVERT occurs
	rollup      bool   // WITH ROLLUP occurs
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
	return postPass{src: x, reads: s.reads, placed: make([]bool, len(s.reads)), like: s.like, windows: s.windows, casts: s.casts, rollup: s.rollup}, nil
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
	case tVar:
		s.assignment(i)
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
	case "GROUP_CONCAT":
		if s.op(i+1, "(") && s.is(s.closeParen(i+1)+1, "OVER") {
			return 0, unsupported(s.tokens[i].start, "GROUP_CONCAT as a window function")
		}
	case "DO":
		if i == s.first {
			s.replace(s.tokens[i].start, s.tokens[i].end, "SET @__lk_do =")
		}
	case "LIKE":
		s.like = true
	case "CAST", "CONVERT":
		if s.op(i+1, "(") {
			s.casts = true
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
	case "INTERVAL", "ANY", "SOME", "ALL", "WITH":
		s.exprWord(i)
	case "DEFAULT":
		if s.isDefaultDatabase(i) {
			s.replace(s.tokens[i].start, s.tokens[i].end, "`"+s.text(i)+"`")
			if !s.op(i+1, ".") {
				return i + 1, nil
			}
		}
	default:
		s.exprWord(i)
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
