package schema

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func typ(t testing.TB, s string) types.Type {
	t.Helper()
	out, err := types.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// vectorOf makes a vector from texts; null is the null.
func vectorOf(t testing.TB, ty types.Type, texts ...string) *columnar.Vector {
	t.Helper()
	v := columnar.NewVector(ty, len(texts))
	for _, text := range texts {
		if text == "null" {
			v.AppendNull()
			continue
		}
		x, err := ParseValue(ty, text)
		if err != nil {
			t.Fatal(err)
		}
		v.AppendValue(x)
	}
	return v
}

func texts(v *columnar.Vector) string {
	var out []string
	for i := range v.N {
		out = append(out, string(appendSlot(nil, v, i)))
	}
	return strings.Join(out, "|")
}

func TestCast(t *testing.T) {
	for _, c := range []struct{ from, in, to, want string }{
		// whole numbers: narrowed by dropping bits
		{"TINYINT", "1|-128|null", "SMALLINT", "1|-128|null"},
		{"SMALLINT", "123|383|-129", "TINYINT", "123|127|127"},
		{"INT", "2147483647|-2147483648|65536", "SMALLINT", "-1|0|0"},
		{"BIGINT", "9223372036854775807|4294967297|-5", "INT", "-1|1|-5"},
		{"INT", "-4|0|null", "DOUBLE", "-4.0|0.0|null"},
		{"BIGINT", "16777217", "FLOAT", "1.6777216E7"},
		{"INT", "0|5|null", "BOOLEAN", "false|true|null"},
		{"BOOLEAN", "true|false|null", "BIGINT", "1|0|null"},
		{"BOOLEAN", "true|false", "DECIMAL(3, 1)", "1.0|0.0"},
		// floats: toward zero, saturating, NaN is 0
		{"FLOAT", "1.9|-1.9|3e10|-3e10|NaN", "INT", "1|-1|2147483647|-2147483648|0"},
		{"DOUBLE", "1e30|-1e30|NaN|Infinity", "BIGINT", "9223372036854775807|-9223372036854775808|0|9223372036854775807"},
		{"DOUBLE", "3e9|300.7|-129", "TINYINT", "-1|44|127"},
		{"DOUBLE", "70000.5", "SMALLINT", "4464"},
		{"FLOAT", "-1.1|1.5|null", "DOUBLE", "-1.100000023841858|1.5|null"},
		{"DOUBLE", "1e300|0.1", "FLOAT", "Infinity|0.1"},
		// decimals
		{"DECIMAL(6, 2)", "1.25|-9999.99|null", "DECIMAL(12, 4)", "1.2500|-9999.9900|null"},
		{"DECIMAL(10, 4)", "1.2345|1.2350|-1.2350|1.2349", "DECIMAL(10, 2)", "1.23|1.24|-1.24|1.23"},
		{"DECIMAL(10, 2)", "99.99|100.00|-99.99|-100.01|null", "DECIMAL(4, 2)", "99.99|null|-99.99|null|null"},
		{"DECIMAL(10, 2)", "9.99|9.95|9.94", "DECIMAL(2, 1)", "null|null|9.9"},
		{"DECIMAL(38, 10)", "1234567890123456789012345678.0123456789|-0.5", "DECIMAL(38, 2)", "1234567890123456789012345678.01|-0.50"},
		{"DECIMAL(18, 0)", "999999999999999999", "DECIMAL(38, 20)", "999999999999999999.00000000000000000000"},
		{"DECIMAL(38, 0)", "99999999999999999999999999999999999999", "DECIMAL(38, 1)", "null"},
		{"DECIMAL(10, 2)", "-1.99|300.50|null", "TINYINT", "-1|44|null"},
		{"DECIMAL(38, 2)", "-18446744073709551615.99|7.5", "BIGINT", "1|7"},
		{"DECIMAL(10, 4)", "1.2346", "FLOAT", "1.2346"},
		{"DECIMAL(38, 20)", "0.10000000000000000000|null", "DOUBLE", "0.1|null"},
		{"INT", "7|-7|null|2147483647", "DECIMAL(5, 2)", "7.00|-7.00|null|null"},
		{"BIGINT", "-9223372036854775808", "DECIMAL(38, 2)", "-9223372036854775808.00"},
		{"DOUBLE", "1.23456|1e20|NaN|-0.005|1e-7|123", "DECIMAL(10, 2)", "1.23|null|null|-0.01|0.00|123.00"},
		{"FLOAT", "0.1", "DECIMAL(20, 18)", "0.100000001490116120"},
		{"INT", "1", "DECIMAL(1, 1)", "null"},
		// dates and times
		{"TIMESTAMP(3)", "2024-01-01 00:00:00.123|1969-12-31 23:59:59.999|null", "TIMESTAMP(6)", "2024-01-01 00:00:00.123000|1969-12-31 23:59:59.999000|null"},
		{"TIMESTAMP(6)", "2024-01-01 10:00:00.123456|1969-12-31 23:59:59.999999", "DATE", "2024-01-01|1969-12-31"},
		{"TIMESTAMP(9)", "2024-01-01 10:00:00.123456789|1969-12-31 23:59:59.999999999", "TIMESTAMP(6)", "2024-01-01 10:00:00.123456|1969-12-31 23:59:59.999999"},
		{"TIMESTAMP(6)", "2024-01-01 10:00:00.123456|1969-12-31 23:59:59.999999", "TIMESTAMP(9)", "2024-01-01 10:00:00.123456000|1969-12-31 23:59:59.999999000"},
		{"TIMESTAMP(3)", "2024-01-01 10:00:00.987|1969-12-31 23:59:58.500", "TIMESTAMP(0)", "2024-01-01 10:00:00|1969-12-31 23:59:59"},
		{"TIMESTAMP(3)", "2024-01-01 10:00:01.987|1969-12-31 23:59:59.999", "TIME(3)", "10:00:01.987|23:59:59.999"},
		{"TIMESTAMP(3)", "2024-07-25 09:12:28.000", "BIGINT", "1721898748"},
		{"TIMESTAMP(3) WITH LOCAL TIME ZONE", "2024-07-25 09:12:28.000", "INT", "1721898748"},
		{"BIGINT", "1721898748|null", "TIMESTAMP(3)", "2024-07-25 09:12:28.000|null"},
		{"INT", "-1", "TIMESTAMP(6)", "1969-12-31 23:59:59.000000"},
		{"DATE", "2024-02-29|1969-12-31", "TIMESTAMP(3)", "2024-02-29 00:00:00.000|1969-12-31 00:00:00.000"},
		{"TIME(3)", "10:01:55.615", "TIMESTAMP(3)", "1970-01-01 10:01:55.615"},
		{"TIMESTAMP(6)", "2024-01-01 10:00:00.123456", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "2024-01-01 10:00:00.123"},
		// to text
		{"BIGINT", "5|-9223372036854775808|null", "STRING", "5|-9223372036854775808|null"},
		{"INT", "1234567", "VARCHAR(3)", "123"},
		{"DOUBLE", "2.5|1e20|0.001|9999999|1e7|5e-324|-2e23|1.5e-5|-0.0|NaN|-Infinity", "STRING", "2.5|1.0E20|0.001|9999999.0|1.0E7|4.9E-324|-2.0E23|1.5E-5|-0.0|NaN|-Infinity"},
		{"FLOAT", "1.23456|1.5e10|3.4028235e38|1.4e-45", "STRING", "1.23456|1.5E10|3.4028235E38|1.4E-45"},
		{"DECIMAL(15, 2)", "1.50|-0.05", "STRING", "1.50|-0.05"},
		{"BOOLEAN", "true|false", "CHAR(5)", "true |false"},
		{"DATE", "2024-02-29|1969-12-31|0001-01-01", "STRING", "2024-02-29|1969-12-31|0001-01-01"},
		{"TIME(2)", "10:01:55.615|10:01:55|00:00:00.050", "STRING", "10:01:55.61|10:01:55.0|00:00:00.05"},
		{"TIME(0)", "10:01:55", "STRING", "10:01:55"},
		{"TIMESTAMP(3)", "2024-01-01 00:00:00", "STRING", "2024-01-01 00:00:00.000"},
		{"TIMESTAMP(0)", "2024-01-01 00:00:00", "STRING", "2024-01-01 00:00:00"},
		{"VARCHAR(10)", "1234567890|äöü", "VARCHAR(2)", "12|äö"},
		{"CHAR(4)", "ab||null", "STRING", "ab||null"},
		{"VARCHAR(10)", "ab|äö|null", "CHAR(4)", "ab  |äö  |null"},
		{"BYTES", "abc", "STRING", "abc"},
		// from text
		{"STRING", "t|YES|0|null|n", "BOOLEAN", "true|true|false|null|false"},
		{"STRING", "12|-7|+3|1.9|null", "INT", "12|-7|3|1|null"},
		{"STRING", "1.5|1e400|-1e400|Infinity", "DOUBLE", "1.5|Infinity|-Infinity|Infinity"},
		{"STRING", "1.235|-1e2|1000|null", "DECIMAL(5, 2)", "1.24|-100.00|null|null"},
		{"STRING", "2024-02-29|2024-1-2|19723|2024-01-01 10:00:00", "DATE", "2024-02-29|2024-01-02|2024-01-01|2024-01-01"},
		{"STRING", "10:00|10:01:02.345", "TIME(3)", "10:00:00.0|10:01:02.345"},
		{"STRING", "2024-01-01|2024-01-01 1:2:3|2024-01-01T10:20|1704067200000", "TIMESTAMP(3)", "2024-01-01 00:00:00.000|2024-01-01 01:02:03.000|2024-01-01 10:20:00.000|2024-01-01 00:00:00.000"},
		{"STRING", "abc|abcdef", "BINARY(4)", "abc\x00|abcd"},
		{"VARBINARY(10)", "abcdef", "VARBINARY(3)", "abc"},
		// the same values
		{"INT NOT NULL", "1", "INT", "1"},
	} {
		from, to := typ(t, c.from), typ(t, c.to)
		src := vectorOf(t, from, strings.Split(c.in, "|")...)
		before := texts(src)
		got, err := Cast(src, to)
		if err != nil {
			t.Errorf("%s %s -> %s: %v", c.from, c.in, c.to, err)
			continue
		}
		if texts(got) != c.want {
			t.Errorf("%s %s -> %s:\n got %s\nwant %s", c.from, c.in, c.to, texts(got), c.want)
		}
		if texts(src) != before || !got.Type.Equal(to) || got.N != src.N {
			t.Errorf("%s -> %s: source changed, or result is %s of %d", c.from, c.to, got.Type, got.N)
		}
		checkNullsAreZero(t, got)
		if !CastSupported(from, to, true) {
			t.Errorf("CastSupported(%s, %s, true) is false", c.from, c.to)
		}
	}
}

// checkNullsAreZero holds a vector to the rule that the slot under a null is zero.
func checkNullsAreZero(t *testing.T, v *columnar.Vector) {
	t.Helper()
	for i := range v.N {
		if !v.IsNull(i) || v.Dict != nil {
			continue
		}
		bare := *v
		bare.Valid = nil
		x := bare.Value(i)
		if x.I != 0 || x.Hi != 0 || x.F != 0 || x.S != "" {
			t.Errorf("%s: slot %d is null and holds %+v", v.Type, i, x)
		}
	}
}

func TestCastErrors(t *testing.T) {
	for _, c := range []struct {
		in, to string
		kind   error
	}{
		{"abc", "INT", ErrMalformed}, {"", "INT", ErrMalformed}, {"300", "TINYINT", ErrOutOfRange}, {"1x", "DECIMAL(5, 2)", ErrMalformed},
		{"2023-02-29", "DATE", ErrMalformed}, {"2024-13-01", "DATE", ErrMalformed}, {"25:00:00", "TIME(0)", ErrMalformed},
		{"2024-01-01 10", "TIMESTAMP(3)", ErrMalformed}, {"maybe", "BOOLEAN", ErrMalformed},
	} {
		if _, err := Cast(vectorOf(t, types.String(), c.in), typ(t, c.to)); !errors.Is(err, c.kind) {
			t.Errorf("%q -> %s: %v", c.in, c.to, err)
		}
	}
	for _, c := range []struct{ from, to string }{
		{"DATE", "INT"}, {"DOUBLE", "BOOLEAN"}, {"DECIMAL(5, 2)", "TIMESTAMP(3)"}, {"BYTES", "INT"}, {"TIMESTAMP(3)", "TINYINT"},
		{"DATE", "VARCHAR(20)"}, {"TIME(0)", "DATE"}, {"STRING", "VARIANT"}, {"TINYINT", "TIMESTAMP(3)"},
	} {
		from, to := typ(t, c.from), typ(t, c.to)
		if CastSupported(from, to, true) {
			t.Errorf("CastSupported(%s, %s) is true", c.from, c.to)
		}
		if _, err := Cast(columnar.NewVector(from, 0), to); err == nil {
			t.Errorf("cast %s -> %s", c.from, c.to)
		}
	}
}

func TestCastImplicit(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"INT", "BIGINT", true}, {"BIGINT", "INT", false}, {"INT", "FLOAT", true}, {"DOUBLE", "FLOAT", false}, {"DECIMAL(5, 2)", "DOUBLE", true},
		{"DOUBLE", "DECIMAL(5, 2)", true}, {"VARCHAR(5)", "STRING", true}, {"STRING", "VARCHAR(5)", true}, {"VARCHAR(5)", "CHAR(5)", false},
		{"INT", "STRING", false}, {"TIMESTAMP(3)", "DATE", true}, {"DATE", "TIMESTAMP(3)", false}, {"TIMESTAMP(3)", "TIMESTAMP(6) WITH LOCAL TIME ZONE", true},
		{"INT", "INT NOT NULL", true}, {"BYTES", "BINARY(3)", false}, {"BINARY(3)", "BYTES", true}, {"STRING", "BYTES", false}, {"BOOLEAN", "INT", false},
	} {
		if got := CastSupported(typ(t, c.from), typ(t, c.to), false); got != c.want {
			t.Errorf("CastSupported(%s, %s, false) = %v", c.from, c.to, got)
		}
	}
}

func TestCastDictionary(t *testing.T) {
	dict := vectorOf(t, types.String(), "abc", "12345", "x")
	src := &columnar.Vector{Type: types.String(), N: 4, Codes: []int32{1, 0, 0, 1}, Dict: dict, Valid: []uint64{0b1011}}
	got, err := Cast(src, typ(t, "VARCHAR(2)"))
	if err != nil || texts(got) != "12|ab|null|12" || got.Dict == nil {
		t.Errorf("text: %s, %v", texts(got), err)
	}
	numbers := &columnar.Vector{Type: types.String(), N: 2, Codes: []int32{1, 1}, Dict: dict}
	if got, err = Cast(numbers, typ(t, "INT")); err != nil || texts(got) != "12345|12345" {
		t.Errorf("an entry that no slot uses: %v, %v", got, err)
	}
	ints := &columnar.Vector{Type: typ(t, "INT"), N: 3, Codes: []int32{0, 1, 0}, Dict: vectorOf(t, typ(t, "INT"), "5", "500")}
	if got, err = Cast(ints, typ(t, "DECIMAL(2, 0)")); err != nil || texts(got) != "5|null|5" {
		t.Errorf("an entry that becomes null: %v, %v", got, err)
	}
	if src.Dict != dict || src.Codes == nil {
		t.Error("source changed")
	}
}

func TestCastNestedToText(t *testing.T) {
	arr := columnar.NewVector(types.ArrayOf(typ(t, "INT")), 2)
	arr.Children[0].AppendI32(1)
	arr.Children[0].AppendNull()
	arr.EndList()
	arr.EndList()
	arr.AppendNull()
	if got, err := Cast(arr, types.String()); err != nil || texts(got) != "[1, null]|[]|null" {
		t.Errorf("array: %v, %v", texts(got), err)
	}
	m := columnar.NewVector(types.MapOf(types.String(), typ(t, "DOUBLE")), 1)
	m.Children[0].AppendString("a")
	m.Children[1].AppendF64(1)
	m.Children[0].AppendString("b")
	m.Children[1].AppendNull()
	m.EndList()
	if got, err := Cast(m, types.String()); err != nil || texts(got) != "{a -> 1.0, b -> null}" {
		t.Errorf("map: %v, %v", texts(got), err)
	}
	r := columnar.NewVector(types.RowOf(types.Field{Name: "x", Type: typ(t, "DATE")}, types.Field{ID: 1, Name: "y", Type: types.String()}), 1)
	r.Children[0].AppendI32(0)
	r.Children[1].AppendNull()
	r.EndList()
	if got, err := Cast(r, types.String()); err != nil || texts(got) != "{1970-01-01, null}" {
		t.Errorf("row: %v, %v", texts(got), err)
	}
}

func TestParseValueErrors(t *testing.T) {
	for _, c := range []struct {
		ty, text string
		kind     error
	}{
		{"VARCHAR(3)", "abcd", ErrTooLong}, {"VARCHAR(3)", "äöü", nil}, {"CHAR(2)", "abc", ErrTooLong}, {"VARBINARY(3)", "äö", ErrTooLong},
		{"INT", "2147483648", ErrOutOfRange}, {"BIGINT", "99999999999999999999", ErrOutOfRange}, {"FLOAT", "1e39", ErrOutOfRange},
		{"DECIMAL(4, 2)", "99.995", ErrOutOfRange}, {"DECIMAL(4, 2)", "99.994", nil}, {"DECIMAL(4, 2)", "1e9999999999", ErrOutOfRange},
		{"DECIMAL(4, 2)", "1e", ErrMalformed}, {"DECIMAL(4, 2)", "--1", ErrMalformed}, {"DECIMAL(4, 2)", ".", ErrMalformed}, {"DECIMAL(4, 2)", "1e-999", nil},
		{"DATE", "today", ErrMalformed}, {"DATE", "2024-01-01-01", ErrMalformed}, {"TIME(3)", "10:61", ErrMalformed}, {"TIME(0)", "86400000", ErrOutOfRange},
		{"TIMESTAMP(6)", "2024-01-01T", ErrMalformed}, {"TIMESTAMP(6)", "2024-01-01 00:00:00.1x", ErrMalformed}, {"DOUBLE", "0x1p3", ErrMalformed},
		{"DOUBLE", "1_0", ErrMalformed}, {"ARRAY<INT>", "[]", ErrMalformed},
	} {
		ty := types.ArrayOf(types.Of(types.Int))
		if c.ty != "ARRAY<INT>" {
			ty = typ(t, c.ty)
		}
		_, err := ParseValue(ty, c.text)
		if c.kind == nil && err != nil || !errors.Is(err, c.kind) {
			t.Errorf("ParseValue(%s, %q): %v", c.ty, c.text, err)
		}
	}
	_, err := ParseValue(typ(t, "INT"), strings.Repeat("ä", 500))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("long text: %v", err)
	}
}

// What FormatValue prints, ParseValue reads back.
func TestFormatParseRoundTrip(t *testing.T) {
	for _, c := range []struct {
		ty string
		v  columnar.Value
	}{
		{"BIGINT", columnar.IntValue(math.MinInt64)}, {"DOUBLE", columnar.FloatValue(math.MaxFloat64)}, {"DOUBLE", columnar.FloatValue(5e-324)},
		{"FLOAT", columnar.FloatValue(float64(float32(1.1)))}, {"DATE", columnar.IntValue(-719528)}, {"DATE", columnar.IntValue(2932896)},
		{"TIME(3)", columnar.IntValue(86399999)}, {"TIMESTAMP(6)", columnar.IntValue(-62135596800000000)},
		{"TIMESTAMP(9)", columnar.Time96Value(-1, 999999)}, {"TIMESTAMP(6) WITH LOCAL TIME ZONE", columnar.IntValue(253402300799999999)},
		{"DECIMAL(38, 38)", columnar.DecimalValue(columnar.Int128{Lo: 1})}, {"DECIMAL(18, 18)", columnar.IntValue(-999999999999999999)}, {"BOOLEAN", columnar.IntValue(1)},
	} {
		ty := typ(t, c.ty)
		text := FormatValue(ty, c.v)
		got, err := ParseValue(ty, text)
		if err != nil || got != c.v {
			t.Errorf("%s: %+v printed as %s reads as %+v, %v", c.ty, c.v, text, got, err)
		}
	}
}

func BenchmarkCast(b *testing.B) {
	for _, c := range []struct{ from, in, to string }{
		{"INT", "12345", "BIGINT"}, {"INT", "12345", "DECIMAL(15, 2)"}, {"DECIMAL(15, 2)", "123.45", "DECIMAL(12, 1)"}, {"BIGINT", "12345", "STRING"}, {"STRING", "12345", "INT"},
	} {
		b.Run(c.from+" to "+c.to, func(b *testing.B) {
			in := make([]string, 4096)
			for i := range in {
				in[i] = c.in
			}
			src, to := vectorOf(b, typ(b, c.from), in...), typ(b, c.to)
			b.SetBytes(4096)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Cast(src, to); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
