package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// mendRule is the number of the rule that mends finished plans.
const mendRule analyzer.RuleId = 10_004

// mendPlan mends what the host's rules made of joins.
func mendPlan(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *hostplan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return mended(n)
}

func mended(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		n, same, err := transform.OneNodeExpressions(n, mendedQuery)
		if err != nil {
			return nil, transform.SameTree, err
		}
		switch x := n.(type) {
		case *hostplan.HashLookup:
			if l, r, changed := hashKeys(x.LeftProbeKey, x.RightEntryKey); changed {
				n, err = x.WithExpressions(r, l)
				return n, transform.NewTree, err
			}
		case *hostplan.StripRowNode:
			// The sides of set operations are planned twice: the columns of the outer
			// row are taken away once.
			if inner, ok := x.Child.(*hostplan.StripRowNode); ok {
				return hostplan.NewStripRowNode(inner.Child, x.NumCols), transform.NewTree, nil
			}
		}
		return n, same, nil
	})
}

func mendedQuery(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	q, ok := e.(*hostplan.Subquery)
	if !ok {
		return e, transform.SameTree, nil
	}
	n, same, err := mended(q.Query)
	if err != nil || same == transform.SameTree {
		return e, transform.SameTree, err
	}
	return q.WithQuery(n), transform.NewTree, nil
}

// hashKeys are the keys of both sides of a hash join; changed is false where the host's
// do. Those are values turned into the type of the left side, which may lose digits or
// fail, and kept in a map by what Go holds equal: no two decimals are.
func hashKeys(l, r sql.Expression) (left, right sql.Expression, changed bool) {
	if _, ok := l.(*hashKey); ok {
		return l, r, false
	}
	ls, lok := l.(expression.Tuple)
	rs, rok := r.(expression.Tuple)
	if lok != rok || len(ls) != len(rs) {
		return l, r, false
	}
	if !lok {
		if gmstypes.IsInteger(l.Type()) && l.Type().Equals(r.Type()) {
			return l, r, false
		}
		ls, rs = expression.Tuple{l}, expression.Tuple{r}
	}
	var lk, rk []sql.Expression
	for i := range ls {
		// What others have is no part of a key: the host still looks at the condition.
		if joinClassOf(ls[i].Type(), rs[i].Type()) != noJoinClass {
			lk, rk = append(lk, ls[i]), append(rk, rs[i])
		}
	}
	return newHashKey(l, lk), newHashKey(r, rk), true
}

// hashKey is the key of one side of a hash join: bytes that are the same where SQL
// holds the values equal, NULL where one is NULL.
type hashKey struct {
	expression.NaryExpression
	host sql.Expression // for the host's printing
	key  *rowKey
}

var _ sql.CollationCoercible = (*hashKey)(nil)

func newHashKey(host sql.Expression, parts []sql.Expression) *hashKey {
	return &hashKey{expression.NaryExpression{ChildExpressions: parts}, host, newRowKey(typesOfExprs(parts))}
}

// Type implements sql.Expression.
func (k *hashKey) Type() sql.Type { return gmstypes.LongBlob }

// String implements sql.Expression.
func (k *hashKey) String() string { return k.host.String() }

// DebugString implements sql.DebugStringer.
func (k *hashKey) DebugString() string { return sql.DebugString(k.host) }

// CollationCoercibility implements sql.CollationCoercible.
func (k *hashKey) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Eval implements sql.Expression.
func (k *hashKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var key []byte
	for i, e := range k.ChildExpressions {
		v, err := e.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		if key, err = k.key.append(ctx, key, i, v); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// WithChildren implements sql.Expression.
func (k *hashKey) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(k.ChildExpressions) {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), len(k.ChildExpressions))
	}
	return newHashKey(k.host, children), nil
}
