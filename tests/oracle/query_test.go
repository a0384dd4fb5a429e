package oracle

import (
	"fmt"
	"strings"
)

// query is a SELECT with what is known of its result.
type query struct {
	*node
	cols []column // names of the result and their kinds
	key  []string // names of the columns that tell the rows apart; nil: none do
}

// source is the FROM of a query: one or several tables and derived tables. It
// sets the scope.
func (g *generator) source(outer *scope) *node {
	g.scope = &scope{outer: outer}
	from := g.item()
	for range g.rnd.IntN(3 - min(g.nested, 1)) {
		from = g.join(from)
	}
	if g.nested == 0 && g.chance(10) {
		return part("", "%s, %s", from, g.item())
	}
	return from
}

// item is one table of a FROM, whose columns it adds to the scope.
func (g *generator) item() *node {
	s, name := g.scope, g.alias()
	if g.nested < 2 && g.chance(20) {
		q := g.derived()
		g.scope = s
		s.add(name, q.cols, q.key)
		return part("", "(%s) AS "+name, q.node)
	}
	t := one(g, g.tables)
	s.add(name, t.columns, t.key)
	return plain("", t.name+" "+name)
}

func (s *scope) add(alias string, cols []column, key []string) {
	for _, c := range cols {
		s.cols = append(s.cols, column{alias + "." + c.ref, c.kind})
	}
	for _, k := range key {
		s.key = append(s.key, alias+"."+k)
	}
}

// derived is a query whose rows can be told apart.
func (g *generator) derived() *query {
	g.nested++
	defer func() { g.nested-- }()
	if g.chance(30) {
		return g.groups(nil, true)
	}
	return g.rows(nil, nil, true)
}

func (g *generator) join(left *node) *node {
	before := len(g.scope.cols)
	kind := one(g, []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "INNER JOIN", "LEFT JOIN"})
	right := g.item()
	now := g.scope.cols
	a, b := one(g, now[:before]), one(g, now[before:])
	for range 20 { // most joins compare alike
		if a.kind == b.kind {
			break
		}
		a, b = one(g, now[:before]), one(g, now[before:])
	}
	on := plain("bool", fmt.Sprintf("%s = %s", a.ref, b.ref))
	if a.kind != b.kind || g.chance(10) {
		on = g.expr("bool", 2)
	}
	more := plain("", "")
	if g.chance(25) {
		more = optional(" AND %s", g.expr("bool", 2))
	}
	return part("", "%s "+kind+" %s ON %s%s", left, right, on, more)
}

// rows is a query of rows: no groups. want are the kinds of its columns; any when
// nil. keyed adds columns that tell the rows apart.
func (g *generator) rows(outer *scope, want []string, keyed bool) *query {
	from := g.source(outer)
	q := &query{}
	list := g.list(q, want, func(kind string) *node {
		if g.nested == 0 && windows[kind] != nil && g.chance(15) {
			return g.fill(kind, one(g, windows[kind]), 2)
		}
		return g.expr(kind, 3)
	})
	if keyed {
		for i, k := range g.scope.key {
			q.key = append(q.key, fmt.Sprintf("k%d", i+1))
			q.cols = append(q.cols, column{q.key[i], "int"})
			list = append(list, plain("", k+" AS "+q.key[i]))
		}
	}
	q.node = part("", "SELECT %s FROM %s%s", series(", ", want == nil, list...), from, g.where())
	return q
}

// list makes the select list of a query by make.
func (g *generator) list(q *query, want []string, make func(kind string) *node) []*node {
	if want == nil {
		for range 1 + g.rnd.IntN(3) {
			want = append(want, one(g, kinds))
		}
	}
	var list []*node
	for i, kind := range want {
		name := fmt.Sprintf("c%d", i+1)
		list = append(list, part("", "%s AS "+name, make(kind)))
		q.cols = append(q.cols, column{name, kind})
	}
	return list
}

func (g *generator) where() *node {
	if g.chance(35) {
		return plain("", "")
	}
	return optional(" WHERE %s", g.expr("bool", 3))
}

// groups is a query of groups, whose keys come behind the other columns.
func (g *generator) groups(want []string, keyed bool) *query {
	from := g.source(nil)
	where := g.where()
	rows := g.scope
	g.scope = &scope{grouped: true, rows: rows}
	q := &query{}
	var keys, shown []*node
	if keyed || g.chance(80) {
		for i := range 1 + g.rnd.IntN(2) {
			c := one(g, rows.cols)
			q.key = append(q.key, fmt.Sprintf("k%d", i+1))
			g.scope.cols = append(g.scope.cols, c)
			keys = append(keys, plain("", c.ref))
			shown = append(shown, plain("", c.ref+" AS "+q.key[i]))
		}
	}
	list := g.list(q, want, func(kind string) *node { return g.expr(kind, 2) })
	if want == nil {
		list = append(list, shown...)
		for i, c := range g.scope.cols {
			q.cols = append(q.cols, column{q.key[i], c.kind})
		}
	}
	by, having := plain("", ""), plain("", "")
	if keys != nil {
		by = part("", " GROUP BY %s", series(", ", false, keys...))
		if !keyed && g.chance(15) {
			by = part("", "%s%s", by, optional(" WITH ROLLUP"))
		} else if g.chance(30) {
			having = optional(" HAVING %s", g.expr("bool", 2))
		}
	}
	q.node = part("", "SELECT %s FROM %s%s%s%s", series(", ", want == nil, list...), from, where, by, having)
	return q
}

// subquery is one of an expression: of one column, and of one row if single.
func (g *generator) subquery(kind string, single bool) *node {
	kept := g.scope
	g.nested++
	defer func() { g.scope, g.nested = kept, g.nested-1 }()
	outer := kept
	if kept != nil && kept.grouped {
		outer = &scope{cols: kept.cols}
	}
	if !single {
		return g.rows(outer, []string{kind}, false).node
	}
	if g.chance(50) {
		from := g.source(outer)
		where := g.where()
		g.scope = &scope{grouped: true, rows: &scope{cols: g.scope.cols}}
		return part("", "SELECT %s FROM %s%s", g.aggregate(kind, g.scope), from, where)
	}
	q := g.rows(outer, []string{kind}, false)
	return part("", "%s ORDER BY %s LIMIT 1", q.node, plain("", strings.Join(g.scope.key, ", ")))
}

// statement is a SELECT; ordered says that its rows come in a known order.
func (g *generator) statement() (n *node, ordered bool) {
	g.scope, g.aliases, g.nested = nil, 0, 0
	switch g.rnd.IntN(10) {
	case 0, 1:
		return g.groups(nil, false).node, false
	case 2:
		return g.distinct(), false
	case 3:
		return g.setOperation(), false
	case 4:
		return g.common(), false
	case 5, 6:
		q := g.rows(nil, nil, true)
		return g.limited(q), true
	}
	return g.rows(nil, nil, false).node, false
}

// limited puts an order and a limit on a query.
func (g *generator) limited(q *query) *node {
	first := plain("", "")
	if g.chance(70) {
		first = plain("", one(g, g.scope.cols).ref) // no constant: it may be a position
		first = optional("%s%s, ", first, plain("", one(g, []string{"", " DESC"})))
	}
	keys := strings.Join(g.scope.key, ", ")
	return part("", "%s ORDER BY %s"+keys+"%s", q.node, first, optional(fmt.Sprintf(" LIMIT %d OFFSET %d", 1+g.rnd.IntN(9), g.rnd.IntN(4))))
}

func (g *generator) distinct() *node {
	q := g.rows(nil, nil, false)
	q.node.text[0] = "SELECT DISTINCT "
	return q.node
}

func (g *generator) setOperation() *node {
	var want []string
	for range 1 + g.rnd.IntN(2) {
		want = append(want, one(g, kinds))
	}
	side := func() *node {
		if g.chance(25) {
			return g.groups(want, false).node
		}
		return g.rows(nil, want, false).node
	}
	n := side()
	for range 1 + g.rnd.IntN(2) {
		n = part("", "%s "+one(g, []string{"UNION", "UNION ALL", "EXCEPT", "INTERSECT"})+" %s", n, side())
	}
	return n
}

// common is a query with common table expressions.
func (g *generator) common() *node {
	var with []*node
	kept := g.tables
	defer func() { g.tables = kept }()
	for i := range 1 + g.rnd.IntN(2) {
		q := g.derived()
		name := fmt.Sprintf("w%d", i+1)
		with = append(with, part("", name+" AS (%s)", q.node))
		t := &table{name: name, columns: q.cols, key: q.key}
		g.tables = append(g.tables[:len(g.tables):len(g.tables)], t, t)
	}
	return part("", "WITH %s %s", series(", ", false, with...), g.rows(nil, nil, false).node)
}
