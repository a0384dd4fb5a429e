package fileindex

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// MayMatch reports whether a row of the file may match a filter. column gives the
// name that the file has a column of the filter under, and its type there; ok is
// false when it is not the same column any more.
func (c Container) MayMatch(n *predicate.Node, column func(i int) (name string, t types.Type, ok bool)) bool {
	if n == nil {
		return true
	}
	switch n.Op {
	case predicate.OpAnd:
		for _, x := range n.Children {
			if !c.MayMatch(x, column) {
				return false
			}
		}
		return true
	case predicate.OpOr:
		for _, x := range n.Children {
			if c.MayMatch(x, column) {
				return true
			}
		}
		return false
	case predicate.OpIsNull, predicate.OpNotEq, predicate.OpNotIn:
		return true
	}
	name, t, ok := column(n.Column)
	if !ok || !t.SameValues(n.Type) {
		return true
	}
	for _, x := range c[name] {
		if x.Body == nil {
			return false // the column holds no value
		}
		if x.Type == BloomFilter && (n.Op == predicate.OpEq || n.Op == predicate.OpIn) && !mayHoldAny(x.Body, t, n.Values) {
			return false
		}
	}
	return true
}

func mayHoldAny(body []byte, t types.Type, vals []columnar.Value) bool {
	b, err := DecodeBloom(body)
	if err != nil || !Hashable(t) {
		return true
	}
	for _, v := range vals {
		if v.Null {
			continue
		}
		if b.MayHold(Hash(t, v)) {
			return true
		}
		// Both zeros are equal, and every NaN, though their hashes differ.
		if k := t.Kind; (k == types.Float || k == types.Double) && (v.F == 0 || v.F != v.F) {
			return true
		}
	}
	return false
}
