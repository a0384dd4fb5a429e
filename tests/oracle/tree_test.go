package oracle

import "strings"

// node is a part of a statement: texts with other parts between them.
type node struct {
	kind     string   // of an expression, as in grammar; "" for other parts
	text     []string // one more than kids
	kids     []*node
	optional bool // the statement can stand without it
	// apart says that what is below reads other rows: an aggregate, a subquery.
	apart bool
}

// part is a node of a text in which each %s is a part.
func part(kind, text string, kids ...*node) *node {
	return &node{kind: kind, text: strings.Split(text, "%s"), kids: kids}
}

// plain is a node without others in it.
func plain(kind, text string) *node { return &node{kind: kind, text: []string{text}} }

// optional is a part that shrinking may leave out.
func optional(text string, kids ...*node) *node {
	n := part("", text, kids...)
	n.optional = true
	return n
}

// series puts a text between parts, of which all but the first are optional if so
// said.
func series(between string, canDrop bool, parts ...*node) *node {
	n := &node{text: []string{""}}
	for i, p := range parts {
		if i > 0 {
			p = part("", between+"%s", p)
			p.optional = canDrop
		}
		n.kids, n.text = append(n.kids, p), append(n.text, "")
	}
	return n
}

// String is the text of a node.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	for i, t := range n.text {
		b.WriteString(t)
		if i < len(n.kids) {
			n.kids[i].write(b)
		}
	}
}

// each calls visit for n and all below it.
func (n *node) each(visit func(*node)) {
	visit(n)
	for _, k := range n.kids {
		k.each(visit)
	}
}

// within calls visit for all below n that reads the same rows.
func (n *node) within(visit func(*node)) {
	for _, k := range n.kids {
		if !n.apart {
			visit(k)
			k.within(visit)
		}
	}
}

// shrink makes a statement smaller in place as long as it still fails, by fails at
// most tries times: parts are left out, expressions give way to parts of their kind
// or to a constant.
func (n *node) shrink(tries int, fails func() bool) {
	for again := true; again; {
		again = false
		var all []*node
		n.each(func(x *node) { all = append(all, x) })
		for _, x := range all {
			for _, smaller := range x.smaller() {
				if tries--; tries < 0 {
					return
				}
				kept := *x
				if *x = *smaller; fails() {
					again = true
					break
				}
				*x = kept
			}
			if again {
				break
			}
		}
	}
}

// smaller lists what may stand in the place of a node.
func (n *node) smaller() (out []*node) {
	if n.optional && len(n.text) > 1 {
		out = append(out, plain("", ""))
	}
	if n.kind == "" || len(n.kids) == 0 {
		return out
	}
	n.within(func(x *node) {
		if x.kind == n.kind {
			out = append(out, x)
		}
	})
	if constants := literals[n.kind]; constants != nil {
		out = append(out, plain(n.kind, constants[0]))
	}
	return out
}
