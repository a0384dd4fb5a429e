package plan

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// unify gives both sides of a set operation the types that MySQL chooses for
// them. The host's own conversions, which turn most mixtures into text, are
// taken out. same says that nothing changed.
func unify(n *hostplan.SetOp) (out sql.Node, same bool, err error) {
	left, lcut := withoutMerge(n.Left())
	right, rcut := withoutMerge(n.Right())
	ls, rs := left.Schema(), right.Schema()
	if len(ls) != len(rs) {
		return n, true, nil
	}
	ts := make([]sql.Type, len(ls))
	for i := range ls {
		ts[i] = commonType(ls[i].Type, rs[i].Type)
	}
	l, lsame := castColumns(left, ts)
	r, rsame := castColumns(right, ts)
	if lsame && rsame && !lcut && !rcut {
		return n, true, nil
	}
	if out, err = n.WithChildren(l, r); err != nil {
		return nil, false, err
	}
	set := *out.(*hostplan.SetOp)
	set.SortFields = append(sql.SortFields(nil), set.SortFields...)
	for i, f := range set.SortFields {
		if g, ok := f.Column.(*expression.GetField); ok {
			for k, c := range ls {
				if strings.EqualFold(c.Name, g.Name()) {
					set.SortFields[i].Column = retypeField(g, ts[k])
					break
				}
			}
		}
	}
	return &set, false, nil
}

// withoutMerge takes off the projection that the host puts on a side to convert
// its columns.
func withoutMerge(n sql.Node) (sql.Node, bool) {
	p, ok := n.(*hostplan.Project)
	if !ok {
		return n, false
	}
	s := p.Child.Schema()
	if len(s) != len(p.Projections) {
		return n, false
	}
	casts := 0
	for i, e := range p.Projections {
		if a, ok := e.(*expression.Alias); ok {
			if a.Name() != s[i].Name {
				return n, false
			}
			casts++
			e = a.Child
			switch c := e.(type) {
			case *expression.Convert:
				e = c.Child
			case *bounded:
				e = c.Child
			case *operand:
				e = c.Child
			}
			e = funcs.Uncast(e)
			if c, ok := e.(*expression.EnumToString); ok {
				e = c.Enum
			}
		}
		if f, ok := e.(*expression.GetField); !ok || f.TableId() != 0 || f.Name() != s[i].Name {
			return n, false
		}
	}
	if casts == 0 {
		return n, false
	}
	return p.Child, true
}

// castColumns projects the columns of n to types ts.
func castColumns(n sql.Node, ts []sql.Type) (sql.Node, bool) {
	s := n.Schema()
	ids := columnIDs(n, len(s))
	same := true
	list := make([]sql.Expression, len(s))
	for i, c := range s {
		list[i] = expression.NewGetFieldWithTable(int(ids[i]), 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
		if reflect.DeepEqual(c.Type, ts[i]) { // the host asks for no less
			continue
		}
		same = false
		list[i] = expression.NewAlias(c.Name, newCast(list[i], ts[i]))
	}
	if same {
		return n, true
	}
	return hostplan.NewProject(list, n), false
}

// columnIDs are the numbers of a node's columns, 0 for those without.
func columnIDs(n sql.Node, width int) []sql.ColumnId {
	ids := make([]sql.ColumnId, width)
	switch x := n.(type) {
	case *hostplan.Project:
		for i, e := range x.Projections {
			if id, ok := e.(sql.IdExpression); ok {
				ids[i] = id.Id()
			}
		}
	case hostplan.TableIdNode:
		i := 0
		x.Columns().ForEach(func(id sql.ColumnId) {
			if i < width {
				ids[i] = id
			}
			i++
		})
	default:
		if c := n.Children(); len(c) == 1 && len(c[0].Schema()) == width {
			return columnIDs(c[0], width)
		}
	}
	return ids
}

// commonType is the type of a column that a set operation makes of two.
func commonType(a, b sql.Type) sql.Type {
	switch {
	case a.Equals(b), b == gmstypes.Null:
		return a
	case a == gmstypes.Null:
		return b
	}
	if t, ok := commonNumber(a, b); ok {
		return t
	}
	if gmstypes.IsTime(a) && gmstypes.IsTime(b) {
		p := max(timePrecision(a), timePrecision(b))
		return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, p)
	}
	if bridge.IsTimespan(a) && bridge.IsTimespan(b) {
		return bridge.NewTimeType(max(timePrecision(a), timePrecision(b)))
	}
	return commonText(a, b)
}

func timePrecision(t sql.Type) int {
	if s, ok := t.(bridge.TimeType); ok {
		return s.Precision()
	}
	if d, ok := t.(sql.DatetimeType); ok && !gmstypes.IsDateType(t) {
		return d.Precision()
	}
	return 0
}

func commonNumber(a, b sql.Type) (sql.Type, bool) {
	if !gmstypes.IsNumber(a) || !gmstypes.IsNumber(b) {
		return nil, false
	}
	x, y := numberOfType(a), numberOfType(b)
	switch {
	case x.kind == noNumber || y.kind == noNumber:
		return nil, false
	case x.kind == float || y.kind == float:
		return gmstypes.Float64, true
	case x.kind == exactDecimal || y.kind == exactDecimal:
		scale := max(x.scale, y.scale)
		return decimalType(max(x.precision-x.scale, y.precision-y.scale)+scale, scale), true
	case x.kind == y.kind:
		if x.precision >= y.precision {
			return a, true
		}
		return b, true
	}
	if x.kind == unsignedInt {
		x, y, a = y, x, b
	}
	if x.precision > y.precision && y.precision < 19 {
		return a, true
	}
	if y.precision < 19 {
		return gmstypes.Int64, true
	}
	return decimalType(20, 0), true
}

func commonText(a, b sql.Type) sql.Type {
	x, ok := a.(sql.StringType)
	y, ok2 := b.(sql.StringType)
	if !ok || !ok2 {
		return gmstypes.LongText
	}
	if gmstypes.IsBinaryType(a) || gmstypes.IsBinaryType(b) {
		return gmstypes.LongBlob
	}
	n := max(x.MaxCharacterLength(), y.MaxCharacterLength())
	if x.Collation() != y.Collation() || n > 16383 || gmstypes.IsTextBlob(a) || gmstypes.IsTextBlob(b) {
		return gmstypes.LongText
	}
	return gmstypes.MustCreateString(sqltypes.VarChar, n, x.Collation())
}

// cast turns the values of a column into those of the type that a set operation
// has for it.
type cast struct {
	expression.UnaryExpression
	typ sql.Type
}

var _ sql.CollationCoercible = (*cast)(nil)

func newCast(e sql.Expression, t sql.Type) *cast {
	return &cast{expression.UnaryExpression{Child: e}, t}
}

// Type implements sql.Expression.
func (c *cast) Type() sql.Type { return c.typ }

func (c *cast) String() string { return c.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (c *cast) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, c.Child)
}

// WithChildren implements sql.Expression.
func (c *cast) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return newCast(children[0], c.typ), nil
}

// Eval implements sql.Expression.
func (c *cast) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	switch {
	case gmstypes.IsDecimal(c.typ):
		return decimalOf(ctx, v), nil
	case gmstypes.IsFloat(c.typ):
		return floatOf(ctx, v), nil
	case gmstypes.IsText(c.typ) && funcs.Temporal(c.Child):
		return funcs.Text(expression.NewLiteral(v, c.Child.Type())).Eval(ctx, nil)
	case gmstypes.IsText(c.typ) && !gmstypes.IsText(c.Child.Type()):
		return expression.NewConvert(expression.NewLiteral(v, c.Child.Type()), expression.ConvertToChar).Eval(ctx, nil)
	case gmstypes.IsText(c.typ), c.typ.Equals(c.Child.Type()):
		return v, nil
	}
	out, _, err := c.typ.Convert(ctx, v)
	return out, err
}
