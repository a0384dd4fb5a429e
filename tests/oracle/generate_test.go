package oracle

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// column is what an expression may read: a column, or a key of GROUP BY.
type column struct{ ref, kind string }

// scope is what the expressions of a query may read.
type scope struct {
	cols  []column
	key   []string // columns that tell the rows apart
	outer *scope
	// grouped says that only keys and aggregates may be read; rows is the scope of
	// the aggregates' arguments.
	grouped bool
	rows    *scope
}

// generator makes random statements over tables.
type generator struct {
	rnd     *rand.Rand
	tables  []*table
	scope   *scope
	aliases int
	nested  int // how many subqueries the current place is in
}

// one is one of a list.
func one[T any](g *generator, list []T) T { return list[g.rnd.IntN(len(list))] }

// chance is true in so many of a hundred cases.
func (g *generator) chance(percent int) bool { return g.rnd.IntN(100) < percent }

// expr is an expression of a kind; depth bounds how deep it is.
func (g *generator) expr(kind string, depth int) *node {
	switch kind {
	case "num":
		kind = one(g, []string{"int", "int", "dec", "dbl"})
	case "any":
		kind = one(g, kinds)
	}
	if depth <= 0 || g.chance(20) {
		return g.leaf(kind)
	}
	if g.chance(15) {
		return g.fill(kind, strings.ReplaceAll(one(g, general), "self}", kind+"}"), depth)
	}
	return g.fill(kind, one(g, grammar[kind]), depth)
}

// leaf is a column, an aggregate or a constant.
func (g *generator) leaf(kind string) *node {
	s := g.scope
	if s != nil && s.outer != nil && !s.grouped && g.chance(15) {
		s = s.outer
	}
	if s != nil && !g.chance(20) {
		if s.grouped && g.chance(60) {
			return g.aggregate(kind, s)
		}
		var fit []column
		for _, c := range s.cols {
			if c.kind == kind {
				fit = append(fit, c)
			}
		}
		if len(fit) > 0 {
			return plain(kind, one(g, fit).ref)
		}
	}
	return plain(kind, one(g, literals[kind]))
}

// aggregate is an aggregate over the groups of a scope.
func (g *generator) aggregate(kind string, s *scope) *node {
	kept := g.scope
	defer func() { g.scope = kept }()
	g.scope = &scope{cols: s.rows.cols, key: s.rows.key}
	n := g.fill(kind, one(g, aggregates[kind]), 1+g.rnd.IntN(2))
	n.apart = true
	return n
}

var hole = regexp.MustCompile(`\{[a-z.]+\}`)

// fill makes a node of a form, with something for all that stands in braces.
func (g *generator) fill(kind, form string, depth int) *node {
	n := &node{kind: kind}
	at := 0
	for _, m := range hole.FindAllStringIndex(form, -1) {
		n.text = append(n.text, form[at:m[0]])
		n.kids = append(n.kids, g.hole(form[m[0]+1:m[1]-1], depth-1))
		at = m[1]
	}
	n.text = append(n.text, form[at:])
	return n
}

func (g *generator) hole(name string, depth int) *node {
	if list, ok := words[name]; ok {
		return plain("", one(g, list))
	}
	switch name {
	case "over":
		return part("", "%sORDER BY %s", g.partition(), plain("", strings.Join(g.scope.key, ", ")))
	case "frame":
		return part("", "%sORDER BY %s%s", g.partition(), plain("", strings.Join(g.scope.key, ", ")), optional(" "+one(g, frames)))
	case "peers":
		return part("", "%sORDER BY %s%s", g.partition(), g.leaf(one(g, kinds)), plain("", one(g, []string{"", " DESC"})))
	}
	class, kind, ok := strings.Cut(name, ".")
	if !ok {
		return g.expr(name, depth)
	}
	if g.nested >= 2 {
		if class == "value" {
			return g.leaf(simple(kind))
		}
		return plain("", "(SELECT "+literals[simple(kind)][0]+")")
	}
	n := part("", "(%s)", g.subquery(simple(kind), class == "value"))
	n.apart = true
	return n
}

// simple is a kind for one of the names that stand for several.
func simple(kind string) string {
	switch kind {
	case "num":
		return "dec"
	case "any":
		return "int"
	}
	return kind
}

var frames = []string{
	"ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "ROWS UNBOUNDED PRECEDING", "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
	"ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING", "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING", "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
}

func (g *generator) partition() *node {
	if g.chance(40) {
		return plain("", "")
	}
	return optional("PARTITION BY %s ", g.expr(one(g, kinds), 1))
}

// alias is a name that the statement has not yet.
func (g *generator) alias() string {
	g.aliases++
	return fmt.Sprintf("a%d", g.aliases)
}
