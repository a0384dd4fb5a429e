package dialect

import (
	"strings"
)

// Functions that stand for what the host's parser does not take. plan and funcs
// know them by these names.
const (
	// IntervalFunc is INTERVAL(n, a, b, …), the function.
	IntervalFunc = "__lk_interval"
	// AnyFunc and AllFunc hold the subquery of a comparison with ANY or ALL.
	AnyFunc = "__lk_any"
	AllFunc = "__lk_all"
	// ExactFunc is its argument, a constant that the host may not change.
	ExactFunc = "__lk_exact"
	// AssignFunc is @name := value: the name as a string, and the value.
	AssignFunc = "__lk_assign"
	// RollupFunc is the last key of a GROUP BY … WITH ROLLUP.
	RollupFunc = "__lk_rollup"
	// RollupKeyFunc is a key of such a GROUP BY: its number from 0 on, and itself.
	RollupKeyFunc = "__lk_rollup_key"
	// GroupingFunc is GROUPING: the numbers of its keys.
	GroupingFunc = "__lk_grouping"
)

// exprWord handles the words of expressions that the host's parser reads otherwise.
func (s *splicer) exprWord(i int) {
	switch w := strings.ToUpper(s.text(i)); w {
	case "INTERVAL":
		if s.op(i+1, "(") && s.hasComma(i+1) && (s.is(i-1, "INTERVAL") || !s.isUnit(s.closeParen(i+1)+1)) {
			s.replace(s.tokens[i].start, s.tokens[i].end, IntervalFunc)
		}
	case "ANY", "SOME", "ALL":
		s.quantifier(i, w == "ALL")
	case "TRUE":
		// The host takes ON TRUE for a cross join, whatever the join is.
		if i > s.first && s.is(i-1, "ON") {
			s.replace(s.tokens[i].start, s.tokens[i].end, "1")
		}
	case "WITH":
		if s.is(i+1, "ROLLUP") && !s.op(i+2, "(") {
			s.replace(s.tokens[i].start, s.tokens[i+1].end, ", "+RollupFunc+"()")
			s.rollup = true
		}
	case "UNKNOWN":
		if s.is(i-1, "IS") || s.is(i-1, "NOT") && s.is(i-2, "IS") {
			s.replace(s.tokens[i].start, s.tokens[i].end, "NULL")
		}
	default:
		if severalUnits[w] && !s.op(i-1, "(") { // EXTRACT has them without quotes
			s.replace(s.tokens[i].start, s.tokens[i].end, "`"+w+"`")
			return
		}
		if unit, ok := strings.CutPrefix(w, "SQL_TSI_"); ok && intervalUnits[unit] {
			s.replace(s.tokens[i].start, s.tokens[i].end, unit)
		}
	}
}

var intervalUnits = words(`SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR`)

// severalUnits are the units of several numbers: words that the host's parser takes for
// units where they are quoted.
var severalUnits = words(`SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE
	DAY_MICROSECOND DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH`)

// isUnit reports whether token i is the unit of an interval.
func (s *splicer) isUnit(i int) bool {
	if i >= s.last || s.tokens[i].kind != tWord {
		return false
	}
	w := strings.ToUpper(s.text(i))
	return severalUnits[w] || w == "MICROSECOND" || intervalUnits[strings.TrimPrefix(w, "SQL_TSI_")]
}

// hasComma reports whether the parenthesis at i holds a comma of its own.
func (s *splicer) hasComma(i int) bool {
	for end, i := s.closeParen(i), i+1; i < end; i++ {
		if s.op(i, "(") {
			i = s.closeParen(i)
		} else if s.op(i, ",") {
			return true
		}
	}
	return false
}

// quantifier rewrites a comparison with ANY, SOME or ALL of a subquery, whose word is
// at i. Those that are IN or NOT IN become it; in others a function holds the
// subquery. The host takes a <> b for NOT a = b: ANY is ALL below the NOT.
func (s *splicer) quantifier(i int, all bool) {
	if i == s.first || !s.op(i+1, "(") || s.tokens[i-1].kind != tOp {
		return
	}
	op := s.text(i - 1)
	switch op {
	case "=", "<>", "!=", "<", "<=", ">", ">=":
	default:
		return
	}
	from, to := s.tokens[i-1].start, s.tokens[i].end
	unequal := op == "<>" || op == "!="
	switch {
	case op == "=" && !all:
		s.replace(from, to, "IN")
		return
	case unequal && all:
		s.replace(from, to, "NOT IN")
		return
	}
	name := AnyFunc
	if all || unequal {
		name = AllFunc
	}
	s.replace(s.tokens[i].start, s.tokens[i].end, name+"(")
	pos := s.tokens[s.closeParen(i+1)].end
	s.closing = append(s.closing, edit{pos, pos, ")"})
}

// assignment makes a function of @name := value, whose variable is at i. The value
// reaches as far as an expression can. SET has assignments of its own.
func (s *splicer) assignment(i int) {
	if s.verb == "SET" || !s.op(i+1, ":=") {
		return
	}
	name := strings.TrimPrefix(s.text(i), "@")
	if strings.HasPrefix(name, "@") {
		return
	}
	s.replace(s.tokens[i].start, s.tokens[i+1].end, AssignFunc+"("+quoteText(unquoteName(name))+", ")
	pos := s.tokens[s.valueEnd(i+2)-1].end
	s.closing = append(s.closing, edit{pos, pos, ")"})
}

// unquoteName takes the quotes off a variable's name.
func unquoteName(name string) string {
	if len(name) >= 2 && strings.IndexByte("`'\"", name[0]) >= 0 && name[len(name)-1] == name[0] {
		return name[1 : len(name)-1]
	}
	return name
}

// valueEnds are the words that end the value of an assignment.
var valueEnds = words(`AS FROM WHERE GROUP ORDER HAVING LIMIT UNION INTERSECT EXCEPT FOR WINDOW INTO WHEN THEN ELSE END
	ASC DESC ON USING`)

// joiners are words within expressions, behind which the expression goes on.
var joiners = words(`AND OR XOR NOT DIV MOD IN IS LIKE RLIKE REGEXP BETWEEN COLLATE ESCAPE BINARY INTERVAL`)

// valueEnd returns the index behind the value at i.
func (s *splicer) valueEnd(i int) int {
	operand := false // the last token ended an operand
	for i < s.last {
		t := s.tokens[i]
		switch {
		case s.op(i, "("):
			i = s.closeParen(i)
			operand = true
		case t.kind == tOp && strings.Contains("),;", s.text(i)):
			return i
		case t.kind == tOp:
			operand = false
		case t.kind == tWord && s.is(i, "CASE") && !operand:
			i = s.endOfCase(i)
			operand = true
		case t.kind == tWord && joiners[strings.ToUpper(s.text(i))]:
			operand = false
		case t.kind == tWord && valueEnds[strings.ToUpper(s.text(i))]:
			return i
		case operand && (t.kind == tWord || t.kind == tQuoted):
			return i // an alias
		default:
			operand = true
		}
		i++
	}
	return i
}

// endOfCase returns the index of the END for the CASE at i.
func (s *splicer) endOfCase(i int) int {
	depth := 0
	for ; i < s.last; i++ {
		if s.is(i, "CASE") {
			depth++
		} else if s.is(i, "END") {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return s.last - 1
}
