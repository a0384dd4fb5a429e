package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage/types"
)

// maxPrecision is the largest precision of DECIMAL.
const maxPrecision = 38

// simpleTypes are the types without arguments, in Flink's, Spark's and MySQL's
// words. Field ids of ROW are zero: whoever makes the table's schema gives them.
var simpleTypes = map[string]types.Type{
	"BOOLEAN": types.Of(types.Boolean), "BOOL": types.Of(types.Boolean),
	"DATE":   types.Of(types.Date),
	"STRING": types.String(), "TEXT": types.String(), "TINYTEXT": types.String(),
	"MEDIUMTEXT": types.String(), "LONGTEXT": types.String(), "JSON": types.String(),
	"BYTES": types.Bytes(), "TINYBLOB": types.Bytes(), "MEDIUMBLOB": types.Bytes(),
	"LONGBLOB": types.Bytes(), "BLOB": types.Bytes(),
	"VARIANT": types.Of(types.Variant),
}

// intTypes are the integer types; MySQL's display width is dropped.
var intTypes = map[string]struct {
	signed   types.Kind
	unsigned types.Type
}{
	"TINYINT":   {types.TinyInt, types.Of(types.SmallInt)},
	"SMALLINT":  {types.SmallInt, types.Of(types.Int)},
	"MEDIUMINT": {types.Int, types.Of(types.Int)},
	"INT":       {types.Int, types.Of(types.BigInt)},
	"INTEGER":   {types.Int, types.Of(types.BigInt)},
	"BIGINT":    {types.BigInt, types.Dec(20, 0)},
	"INT1":      {types.TinyInt, types.Of(types.SmallInt)},
	"INT2":      {types.SmallInt, types.Of(types.Int)},
	"INT3":      {types.Int, types.Of(types.Int)},
	"INT4":      {types.Int, types.Of(types.BigInt)},
	"INT8":      {types.BigInt, types.Dec(20, 0)},
	"BYTE":      {types.TinyInt, types.Of(types.SmallInt)}, // Spark
	"SHORT":     {types.SmallInt, types.Of(types.Int)},
	"LONG":      {types.BigInt, types.Dec(20, 0)},
}

var refusedTypes = map[string]string{
	"YEAR": "YEAR", "GEOMETRY": "GEOMETRY", "POINT": "GEOMETRY", "LINESTRING": "GEOMETRY",
	"POLYGON": "GEOMETRY", "MULTIPOINT": "GEOMETRY", "MULTILINESTRING": "GEOMETRY",
	"MULTIPOLYGON": "GEOMETRY", "GEOMETRYCOLLECTION": "GEOMETRY", "GEOMCOLLECTION": "GEOMETRY",
	"GEOGRAPHY": "GEOGRAPHY", "INTERVAL": "INTERVAL", "RAW": "RAW", "SERIAL": "AUTO_INCREMENT (SERIAL)",
}

// typ reads a column type. what names the column in notes.
func (g *grammar) typ(what string) (types.Type, error) {
	t, err := g.bareType(what)
	if err != nil {
		return t, err
	}
	for {
		switch {
		case g.acceptOp("["): // INT[]
			if err := g.expectOp("]"); err != nil {
				return t, err
			}
			t = types.ArrayOf(t)
		case g.accept("ARRAY"):
			t = types.ArrayOf(t)
		case g.accept("MULTISET"):
			t = types.MultisetOf(t)
		default:
			return t, nil
		}
	}
}

func (g *grammar) bareType(what string) (types.Type, error) {
	pos := g.pos()
	if g.tokens[g.i].kind != tWord {
		return types.Type{}, g.errorf("expected a type")
	}
	name := strings.ToUpper(g.text(g.i))
	g.i++
	if refused, ok := refusedTypes[name]; ok {
		return types.Type{}, unsupported(pos, "the type "+refused)
	}
	if t, ok := simpleTypes[name]; ok {
		if strings.HasSuffix(name, "TEXT") || strings.HasSuffix(name, "BLOB") {
			if _, _, err := g.length(0, 1); err != nil {
				return t, err
			}
		}
		return t, g.charset()
	}
	if _, ok := intTypes[name]; ok {
		return g.intType(name, what)
	}
	switch name {
	case "FLOAT", "FLOAT4", "DOUBLE", "FLOAT8", "REAL":
		return g.floatType(name, what)
	case "DECIMAL", "DEC", "NUMERIC", "FIXED", "NUMBER":
		return g.decimal(pos, what)
	case "BIT":
		return g.bit(pos)
	case "ARRAY", "MULTISET", "MAP", "ROW", "STRUCT":
		return g.nested(name, what)
	case "TIME", "DATETIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ":
		return g.timeType(name)
	case "ENUM", "SET":
		g.notes = append(g.notes, fmt.Sprintf("%s: %s is stored as STRING; the list of values is not checked", what, name))
		g.skipParens()
		return types.String(), g.charset()
	}
	return g.lengthType(name, pos)
}

// lengthTypes are the types that have a length in characters or bytes.
var lengthTypes = map[string]types.Kind{
	"CHAR": types.Char, "CHARACTER": types.Char, "NCHAR": types.Char,
	"VARCHAR": types.VarChar, "VARCHARACTER": types.VarChar, "NVARCHAR": types.VarChar,
	"BINARY": types.Binary, "VARBINARY": types.VarBinary,
}

// lengthType reads a type of lengthTypes, whose name is taken; NATIONAL may
// stand before it and VARYING behind.
func (g *grammar) lengthType(name string, pos int) (types.Type, error) {
	if name == "NATIONAL" && g.tokens[g.i].kind == tWord {
		name = strings.ToUpper(g.text(g.i))
		g.i++
	}
	kind, ok := lengthTypes[name]
	if !ok {
		return types.Type{}, g.errorAt(pos, "unknown type")
	}
	if g.accept("VARYING") {
		switch kind {
		case types.Char:
			kind = types.VarChar
		case types.Binary:
			kind = types.VarBinary
		}
	}
	args, given, err := g.length(1, 1)
	if err != nil {
		return types.Type{}, err
	}
	n := 1
	switch {
	case given && args[0] == 0:
		return types.Type{}, g.errorAt(pos, "a length of 0 is not allowed")
	case given:
		n = args[0]
	case kind == types.VarChar || kind == types.VarBinary:
		return types.Type{}, g.errorf("expected a length in parentheses")
	}
	return types.Type{Kind: kind, Length: n}, g.charset()
}

func (g *grammar) intType(name, what string) (types.Type, error) {
	def := intTypes[name]
	width, given, err := g.length(1, 1)
	if err != nil {
		return types.Type{}, err
	}
	unsigned := g.signs()
	if name == "TINYINT" && given && width[0] == 1 && !unsigned {
		return types.Of(types.Boolean), nil
	}
	if unsigned {
		t := def.unsigned
		g.notes = append(g.notes, fmt.Sprintf("%s: %s UNSIGNED is stored as %s; negative values are accepted", what, name, typeName(t)))
		return t, nil
	}
	return types.Of(def.signed), nil
}

func typeName(t types.Type) string {
	switch t.Kind {
	case types.SmallInt:
		return "SMALLINT"
	case types.Int:
		return "INT"
	case types.BigInt:
		return "BIGINT"
	}
	return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
}

// signs takes SIGNED, UNSIGNED and ZEROFILL, which implies UNSIGNED.
func (g *grammar) signs() (unsigned bool) {
	for {
		switch {
		case g.accept("UNSIGNED"), g.accept("ZEROFILL"):
			unsigned = true
		case g.accept("SIGNED"):
		default:
			return unsigned
		}
	}
}

func (g *grammar) floatType(name, what string) (types.Type, error) {
	if name == "DOUBLE" {
		g.accept("PRECISION")
	}
	args, given, err := g.length(1, 2)
	if err != nil {
		return types.Type{}, err
	}
	if g.signs() {
		g.notes = append(g.notes, what+": "+name+" UNSIGNED is stored signed; negative values are accepted")
	}
	if strings.HasPrefix(name, "FLOAT") && name != "FLOAT8" && !(given && len(args) == 1 && args[0] > 24) {
		return types.Of(types.Float), nil
	}
	return types.Of(types.Double), nil
}

func (g *grammar) decimal(pos int, what string) (types.Type, error) {
	args, given, err := g.length(1, 2)
	if err != nil {
		return types.Type{}, err
	}
	p, s := 10, 0
	if given {
		p = args[0]
	}
	if len(args) == 2 {
		s = args[1]
	}
	if g.signs() {
		g.notes = append(g.notes, what+": DECIMAL UNSIGNED is stored signed; negative values are accepted")
	}
	switch {
	case p == 0:
		return types.Type{}, g.errorAt(pos, "the precision of DECIMAL is at least 1")
	case p > maxPrecision:
		return types.Type{}, unsupported(pos, fmt.Sprintf("DECIMAL(%d): the largest precision is %d", p, maxPrecision))
	case s > p:
		return types.Type{}, g.errorAt(pos, "the scale of DECIMAL is at most its precision")
	}
	return types.Dec(p, s), nil
}

func (g *grammar) bit(pos int) (types.Type, error) {
	args, given, err := g.length(1, 1)
	if err != nil {
		return types.Type{}, err
	}
	if given && args[0] != 1 {
		return types.Type{}, unsupported(pos, fmt.Sprintf("the type BIT(%d); BIT(1) is BOOLEAN", args[0]))
	}
	return types.Of(types.Boolean), nil
}

func (g *grammar) timeType(name string) (types.Type, error) {
	pos := g.pos()
	args, given, err := g.length(1, 1)
	if err != nil {
		return types.Type{}, err
	}
	p := 6
	switch {
	case given:
		p = args[0]
	case name == "DATETIME" || name == "TIME":
		p = 0
	}
	if p > 9 {
		return types.Type{}, g.errorAt(pos, "the precision is at most 9")
	}
	ltz := name == "TIMESTAMP_LTZ"
	if name == "TIMESTAMP" || name == "TIME" {
		switch {
		case g.accept("WITHOUT", "TIME", "ZONE"):
		case name == "TIMESTAMP" && g.accept("WITH", "LOCAL", "TIME", "ZONE"):
			ltz = true
		case g.peek("WITH", "TIME", "ZONE"):
			return types.Type{}, unsupported(pos, "the type "+name+" WITH TIME ZONE")
		}
	}
	switch {
	case name == "TIME":
		return types.Type{Kind: types.Time, Precision: p}, nil
	case ltz:
		return types.LTZOf(p), nil
	}
	return types.TimestampOf(p), nil
}

// nested reads ARRAY<t>, MULTISET<t>, MAP<k, v> and ROW<f t, …>; Spark's
// STRUCT<f: t> is ROW, and ROW takes parentheses too.
func (g *grammar) nested(name, what string) (types.Type, error) {
	closing := ">"
	if (name == "ROW" || name == "STRUCT") && g.acceptOp("(") {
		closing = ")"
	} else if g.op(g.i, "<>") {
		if name != "ROW" && name != "STRUCT" {
			return types.Type{}, g.errorf("expected a type")
		}
		g.i++
		return types.RowOf(), nil
	} else if err := g.expectOp("<"); err != nil {
		return types.Type{}, err
	}
	var t types.Type
	switch name {
	case "MAP":
		key, err := g.elem(what)
		if err != nil {
			return t, err
		}
		if err := g.expectOp(","); err != nil {
			return t, err
		}
		value, err := g.elem(what)
		if err != nil {
			return t, err
		}
		t = types.MapOf(key, value)
	case "ROW", "STRUCT":
		fields, err := g.rowFields(what)
		if err != nil {
			return t, err
		}
		t = types.RowOf(fields...)
	default:
		elem, err := g.elem(what)
		if err != nil {
			return t, err
		}
		if t = types.ArrayOf(elem); name == "MULTISET" {
			t = types.MultisetOf(elem)
		}
	}
	return t, g.expectOp(closing)
}

// elem reads a type inside another one, with its nullability.
func (g *grammar) elem(what string) (types.Type, error) {
	t, err := g.typ(what)
	if err != nil {
		return t, err
	}
	if g.accept("NOT", "NULL") {
		t.NotNull = true
	} else {
		g.accept("NULL")
	}
	return t, nil
}

func (g *grammar) rowFields(what string) ([]types.Field, error) {
	var fields []types.Field
	for {
		var f types.Field
		var err error
		if f.Name, err = g.ident("a field name"); err != nil {
			return nil, err
		}
		g.acceptOp(":")
		if f.Type, err = g.elem(what + "." + f.Name); err != nil {
			return nil, err
		}
		if g.accept("COMMENT") || g.isString(g.i) {
			if f.Description, err = g.str("a comment"); err != nil {
				return nil, err
			}
		}
		for _, o := range fields {
			if o.Name == f.Name {
				return nil, g.errorf("field '" + f.Name + "' is given twice")
			}
		}
		fields = append(fields, f)
		if !g.acceptOp(",") {
			return fields, nil
		}
	}
}

// length reads (n) or (n, m), with least to most numbers, if a '(' stands here.
func (g *grammar) length(least, most int) (args []int, given bool, err error) {
	if !g.acceptOp("(") {
		return nil, false, nil
	}
	for {
		t := g.tokens[g.i]
		n, err := strconv.Atoi(g.text(g.i))
		if t.kind != tNumber || err != nil || n > types.MaxLength {
			return nil, false, g.errorf("expected a number")
		}
		g.i++
		args = append(args, n)
		if len(args) < most && g.acceptOp(",") {
			continue
		}
		if len(args) < least {
			return nil, false, g.errorf("expected ','")
		}
		return args, true, g.expectOp(")")
	}
}

// charset takes CHARACTER SET, CHARSET, COLLATE, ASCII, UNICODE and BINARY
// behind a text type. Text is UTF-8 and compares by bytes: they change nothing.
func (g *grammar) charset() error {
	for {
		switch {
		case g.accept("CHARACTER", "SET"), g.accept("CHAR", "SET"), g.accept("CHARSET"), g.accept("COLLATE"):
			if !g.isString(g.i) {
				if _, err := g.ident("a name"); err != nil {
					return err
				}
				continue
			}
			g.i++
		case g.accept("ASCII"), g.accept("UNICODE"), g.accept("BINARY"):
		default:
			return nil
		}
	}
}

// skipParens moves over a list in parentheses, if one stands here.
func (g *grammar) skipParens() {
	if !g.acceptOp("(") {
		return
	}
	g.balanced(func() bool { return false })
	g.acceptOp(")")
}
