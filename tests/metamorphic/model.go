package metamorphic

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/harness"
)

// The first columns of every table.
const (
	colKey       = 0 // k INT, with p the primary key
	colPartition = 1 // p STRING, also the partition column of partitioned tables
	colSequence  = 2 // s BIGINT, the sequence field of flavours that have one
	firstValue   = 3 // columns from here on may be dropped and renamed
)

// flavour is what an option set may not change: what the operations mean.
type flavour struct {
	keyed       bool
	sequence    bool // sequence.field = s
	descending  bool
	partitioned bool
}

// content is what a table holds at a time. It is immutable.
type content struct {
	fields []types.Field
	rows   []harness.Row
}

func (c *content) texts() []string { return harness.Texts(c.fields, c.rows) }

// version is the newest record of a key, a delete too: later records are held
// against its sequence field.
type version struct {
	row     harness.Row
	retract bool
}

// model is the oracle: a map from keys to their newest version, or a list of rows
// in tables without keys.
type model struct {
	flavour
	fields []types.Field
	keys   map[string]version
	list   []harness.Row
}

func keyText(r harness.Row) string { return r[:2].Text(baseFields()[:2]) }

func (m *model) clone() *model {
	c := *m
	c.keys, c.list = maps.Clone(m.keys), slices.Clone(m.list)
	return &c
}

// write takes a record.
func (m *model) write(r harness.Row, k types.RowKind) {
	if !m.keyed {
		m.list = append(m.list, r)
		return
	}
	key := keyText(r)
	if old, ok := m.keys[key]; ok && m.sequence && m.older(r[colSequence], old.row[colSequence]) {
		return
	}
	m.keys[key] = version{r, k.Retract()}
}

// older reports whether a record with sequence field a loses against one before it
// with b: null always loses, equal ones go by arrival.
func (m *model) older(a, b columnar.Value) bool {
	switch {
	case b.Null:
		return false
	case a.Null:
		return true
	case m.descending:
		return a.I > b.I
	}
	return a.I < b.I
}

// remove takes away every row for which f holds, as an overwrite does: nothing of
// the keys' history stays.
func (m *model) remove(f func(harness.Row) bool) {
	maps.DeleteFunc(m.keys, func(_ string, v version) bool { return f(v.row) })
	m.list = slices.DeleteFunc(slices.Clone(m.list), f)
}

// change rewrites all rows after a schema change.
func (m *model) change(fields []types.Field, f func(harness.Row) harness.Row) {
	m.fields = fields
	for k, v := range m.keys {
		m.keys[k] = version{f(v.row), v.retract}
	}
	for i, r := range m.list {
		m.list[i] = f(r)
	}
}

func (m *model) content() *content {
	c := &content{fields: slices.Clone(m.fields), rows: slices.Clone(m.list)}
	for _, v := range m.keys {
		if !v.retract {
			c.rows = append(c.rows, v.row)
		}
	}
	slices.SortFunc(c.rows, func(a, b harness.Row) int { return cmp.Compare(a.Text(c.fields), b.Text(c.fields)) })
	return c
}

// truth is the value of a predicate in SQL's logic.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

// eval evaluates a predicate on a row, apart from the code under test.
func eval(n *predicate.Node, r harness.Row) truth {
	if n == nil {
		return yes
	}
	switch n.Op {
	case predicate.OpAnd:
		t := yes
		for _, c := range n.Children {
			t = min(t, eval(c, r))
		}
		return t
	case predicate.OpOr:
		t := no
		for _, c := range n.Children {
			t = max(t, eval(c, r))
		}
		return t
	case predicate.OpIsNull:
		return is(r[n.Column].Null)
	case predicate.OpIsNotNull:
		return is(!r[n.Column].Null)
	}
	v := r[n.Column]
	if v.Null {
		return unknown
	}
	return compare(n, v)
}

func compare(n *predicate.Node, v columnar.Value) truth {
	c := func() int { return columnar.Compare(n.Type, v, n.Values[0]) }
	switch n.Op {
	case predicate.OpEq:
		return is(c() == 0)
	case predicate.OpNotEq:
		return is(c() != 0)
	case predicate.OpLt:
		return is(c() < 0)
	case predicate.OpLe:
		return is(c() <= 0)
	case predicate.OpGt:
		return is(c() > 0)
	case predicate.OpGe:
		return is(c() >= 0)
	case predicate.OpIn:
		return is(slices.ContainsFunc(n.Values, func(w columnar.Value) bool { return columnar.Compare(n.Type, v, w) == 0 }))
	case predicate.OpStartsWith:
		return is(len(v.S) >= len(n.Values[0].S) && v.S[:len(n.Values[0].S)] == n.Values[0].S)
	}
	panic("the test draws no such predicate")
}

func is(b bool) truth {
	if b {
		return yes
	}
	return no
}
