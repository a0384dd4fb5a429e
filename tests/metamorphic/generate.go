package metamorphic

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/storage/write"
	"github.com/lakesql/lakesql/tests/harness"
)

type opKind string

const (
	opWrite    opKind = "write"
	opOver     opKind = "overwrite"
	opPending  opKind = "pending"
	opConflict opKind = "conflict"
	opCompact  opKind = "compact"
	opAlter    opKind = "alter"
	opExpire   opKind = "expire"
	opTag      opKind = "tag"
	opUntag    opKind = "untag"
	opReopen   opKind = "reopen"
	opScan     opKind = "scan"
	opTravel   opKind = "travel"
)

// op is an operation with the answer that the model gives. Only the members that
// its kind needs are set.
type op struct {
	kind  opKind
	rows  []harness.Row
	kinds []types.RowKind
	over  *write.Overwrite

	more      []harness.Row // pending: a second statement, taken back
	moreKinds []types.RowKind
	seen      [2]*content // pending: what the writer sees after each statement
	commit    bool        // pending: else abort
	overlap   bool        // conflict: the keys are the same

	full    bool
	changes []schema.Change
	retain  int
	tag     string
	columns []int // scan
	filter  *predicate.Node
	pick    uint64 // travel: which of the versions

	after *content // what the table holds then
}

func (o *op) String() string {
	s := string(o.kind)
	switch o.kind {
	case opWrite, opOver, opPending, opConflict:
		s += fmt.Sprintf(" of %d rows", len(o.rows))
		if o.over != nil {
			s += fmt.Sprintf(", overwrite %+v", *o.over)
		}
	case opAlter:
		s += fmt.Sprintf(" %T%+v", o.changes[0], o.changes[0])
	case opCompact:
		s += fmt.Sprintf(" full=%t", o.full)
	case opScan:
		s += fmt.Sprintf(" of columns %v where %v", o.columns, o.filter)
	case opTag, opUntag:
		s += " " + o.tag
	}
	return s
}

// generator draws operations and lets the model take part in them.
type generator struct {
	rng  *rand.Rand
	m    *model
	tags []string
	made int // names given so far
}

func generate(rng *rand.Rand, f flavour, n int) []*op {
	g := &generator{rng: rng, m: &model{flavour: f, fields: baseFields(), keys: map[string]version{}}}
	var ops []*op
	for range n {
		o := g.next()
		o.after = g.m.content()
		ops = append(ops, o)
	}
	return ops
}

func (g *generator) next() *op {
	switch n := g.rng.IntN(100); {
	case n < 34:
		return g.write()
	case n < 38:
		return g.overwrite()
	case n < 43:
		return g.pending()
	case n < 46 && g.m.keyed:
		return g.conflict()
	case n < 54:
		return &op{kind: opCompact, full: g.rng.IntN(2) == 0}
	case n < 61:
		return g.alter()
	case n < 65:
		return &op{kind: opExpire, retain: 1 + g.rng.IntN(4)}
	case n < 68:
		g.made++
		name := fmt.Sprintf("tag%d", g.made)
		g.tags = append(g.tags, name)
		return &op{kind: opTag, tag: name}
	case n < 70 && len(g.tags) > 0:
		i := g.rng.IntN(len(g.tags))
		name := g.tags[i]
		g.tags = slices.Delete(g.tags, i, i+1)
		return &op{kind: opUntag, tag: name}
	case n < 74:
		return &op{kind: opReopen}
	case n < 80:
		return &op{kind: opTravel, pick: g.rng.Uint64()}
	}
	return g.scan()
}

// records draws n rows with their kinds and writes them to the model.
func (g *generator) records(n int, deletes bool) (rows []harness.Row, kinds []types.RowKind) {
	for range n {
		r, k := g.row(), types.Insert
		if g.m.keyed {
			switch d := g.rng.IntN(10); {
			case d < 2 || deletes && d < 7:
				k = types.Delete
			case d == 2:
				k = types.UpdateAfter
			case d == 3:
				k = types.UpdateBefore
			}
		}
		g.beyond(r, k)
		g.m.write(r, k)
		rows, kinds = append(rows, r), append(kinds, k)
	}
	if !g.m.keyed {
		kinds = nil
	}
	return rows, kinds
}

func (g *generator) size() int {
	switch g.rng.IntN(12) {
	case 0:
		return 0
	case 1:
		return 1
	case 2:
		return 200 + g.rng.IntN(1500)
	}
	return 1 + g.rng.IntN(80)
}

func (g *generator) write() *op {
	o := &op{kind: opWrite}
	o.rows, o.kinds = g.records(g.size(), g.rng.IntN(4) == 0)
	return o
}

// overwrite replaces the table, one partition, or those that get rows.
func (g *generator) overwrite() *op {
	o := &op{kind: opOver, over: &write.Overwrite{}}
	n := g.rng.IntN(60)
	form := 0
	if g.m.partitioned {
		form = g.rng.IntN(4)
	}
	var rows []harness.Row
	for range n {
		rows = append(rows, g.row())
	}
	switch form {
	case 0:
		g.m.remove(func(harness.Row) bool { return true })
	case 1, 2:
		p := columnar.StringValue(partitions()[g.rng.IntN(len(partitions()))])
		o.over.Partition = map[string]columnar.Value{"p": p}
		for _, r := range rows {
			r[colPartition] = p
		}
		g.m.remove(func(r harness.Row) bool { return r[colPartition] == p })
	case 3:
		o.over.Dynamic = true
		hit := map[columnar.Value]bool{}
		for _, r := range rows {
			hit[r[colPartition]] = true
		}
		g.m.remove(func(r harness.Row) bool { return hit[r[colPartition]] })
	}
	for _, r := range rows {
		g.m.write(r, types.Insert)
	}
	o.rows = rows
	return o
}

// pending is a transaction of two statements, of which the second is taken back.
func (g *generator) pending() *op {
	o := &op{kind: opPending, commit: g.rng.IntN(2) == 0}
	before := g.m
	g.m = before.clone()
	o.rows, o.kinds = g.records(1+g.rng.IntN(40), false)
	o.seen[0] = g.m.content()
	first := g.m
	g.m = first.clone()
	o.more, o.moreKinds = g.records(1+g.rng.IntN(40), true)
	o.seen[1] = g.m.content()
	g.m = first
	if !o.commit {
		g.m = before
	}
	return o
}

// conflict is a statement that read before it wrote, and another that is faster:
// rows are those of the faster one, more those of the other.
func (g *generator) conflict() *op {
	o := &op{kind: opConflict, overlap: g.rng.IntN(2) == 0}
	o.rows, o.kinds = g.records(1+g.rng.IntN(20), false)
	if o.overlap {
		r := o.rows[g.rng.IntN(len(o.rows))].Clone()
		o.more, o.moreKinds = []harness.Row{r}, []types.RowKind{types.Insert}
		return o
	}
	taken := map[string]bool{}
	for _, r := range o.rows {
		taken[keyText(r)] = true
	}
	r := g.row()
	for taken[keyText(r)] {
		r[colKey].I++
	}
	g.beyond(r, types.Insert)
	g.m.write(r, types.Insert)
	o.more, o.moreKinds = []harness.Row{r}, []types.RowKind{types.Insert}
	return o
}

// alter changes the schema and the rows of the model.
func (g *generator) alter() *op {
	fields := slices.Clone(g.m.fields)
	at := firstValue + g.rng.IntN(max(1, len(fields)-firstValue))
	g.made++
	name := fmt.Sprintf("c%d", g.made)
	var c schema.Change
	same := func(r harness.Row) harness.Row { return r }
	rewrite := same
	switch n := g.rng.IntN(5); {
	case n == 0 && len(fields) > firstValue+2 && at < len(fields):
		c = schema.DropColumn{Path: []string{fields[at].Name}}
		fields = slices.Delete(fields, at, at+1)
		rewrite = func(r harness.Row) harness.Row { return slices.Delete(r.Clone(), at, at+1) }
	case n == 1 && at < len(fields):
		c = schema.RenameColumn{Path: []string{fields[at].Name}, NewName: name}
		fields[at].Name = name
	case n == 2 && at < len(fields) && fields[at].Type.Kind == types.Int:
		fields[at].Type = types.Of(types.BigInt)
		c = schema.ChangeType{Path: []string{fields[at].Name}, Type: fields[at].Type}
	case n == 3:
		c = schema.SetOption{Key: "num-sorted-run.compaction-trigger", Value: fmt.Sprint(2 + g.rng.IntN(5))}
	default:
		t := addable()[g.rng.IntN(len(addable()))]
		c = schema.AddColumn{Path: []string{name}, Type: t}
		fields = append(fields, types.Field{Name: name, Type: t})
		rewrite = func(r harness.Row) harness.Row { return append(r.Clone(), columnar.NullValue) }
	}
	g.m.change(fields, rewrite)
	return &op{kind: opAlter, changes: []schema.Change{c}}
}

// scan draws columns and a filter.
func (g *generator) scan() *op {
	o := &op{kind: opScan, columns: g.rng.Perm(len(g.m.fields))}
	o.columns = o.columns[:g.rng.IntN(len(o.columns)+1)]
	if g.rng.IntN(5) > 0 {
		o.filter = g.predicate(2)
	}
	return o
}

func (g *generator) predicate(depth int) *predicate.Node {
	if depth > 0 && g.rng.IntN(2) == 0 {
		a, b := g.predicate(depth-1), g.predicate(depth-1)
		if g.rng.IntN(3) == 0 {
			return predicate.Or(a, b)
		}
		return predicate.And(a, b)
	}
	at := g.rng.IntN(len(g.m.fields))
	if g.rng.IntN(3) == 0 {
		at = g.rng.IntN(firstValue)
	}
	t := g.m.fields[at].Type
	if t.Kind == types.Array || g.rng.IntN(10) == 0 {
		if g.rng.IntN(2) == 0 {
			return predicate.IsNull(at, t)
		}
		return predicate.IsNotNull(at, t)
	}
	literal := func() columnar.Value {
		if rows := g.m.content().rows; len(rows) > 0 && g.rng.IntN(3) > 0 {
			if v := rows[g.rng.IntN(len(rows))][at]; !v.Null {
				return v
			}
		}
		for {
			if v := g.row()[at]; !v.Null {
				return v
			}
		}
	}
	switch n := g.rng.IntN(8); n {
	case 0, 1:
		return predicate.Eq(at, t, literal())
	case 2:
		return predicate.In(at, t, literal(), literal(), literal())
	case 3:
		if t.Kind == types.VarChar {
			return predicate.StartsWith(at, t, literal().S[:1])
		}
		return predicate.NotEq(at, t, literal())
	default:
		return predicate.Compare([]predicate.Op{predicate.OpLt, predicate.OpLe, predicate.OpGt, predicate.OpGe}[n-4], at, t, literal())
	}
}
