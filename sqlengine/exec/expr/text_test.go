package expr

import (
	"math"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func TestCivilAndDayAreInverse(t *testing.T) {
	for day := int64(-1_000_000); day < 4_000_000; day += 13 {
		y, m, d := civil(day)
		want := time.Unix(day*86400, 0).UTC()
		if int(y) != want.Year() || m != int(want.Month()) || d != want.Day() {
			t.Fatalf("civil(%d) = %d-%d-%d, want %s", day, y, m, d, want.Format(time.DateOnly))
		}
		if got := Day(y, m, d); got != day {
			t.Fatalf("Day(%d, %d, %d) = %d, want %d", y, m, d, got, day)
		}
	}
}

func TestTexter(t *testing.T) {
	berlin := time.FixedZone("x", 3600)
	d128 := func(neg bool, hi, lo uint64) columnar.Value {
		d := columnar.Int128{Hi: int64(hi), Lo: lo}
		if neg {
			d.Lo = -d.Lo
			d.Hi = ^d.Hi
			if d.Lo == 0 {
				d.Hi++
			}
		}
		return columnar.DecimalValue(d)
	}
	tests := []struct {
		typ  types.Type
		val  columnar.Value
		want string
	}{
		{types.Of(types.Boolean), columnar.IntValue(1), "1"},
		{types.Of(types.Int), columnar.IntValue(-7), "-7"},
		{types.Of(types.BigInt), columnar.IntValue(math.MinInt64), "-9223372036854775808"},
		{types.Of(types.Double), columnar.FloatValue(0.1), "0.1"},
		{types.Of(types.Double), columnar.FloatValue(1e15), "1e15"},
		{types.Of(types.Double), columnar.FloatValue(-1.5e-20), "-1.5e-20"},
		{types.Of(types.Double), columnar.FloatValue(123456789012345), "123456789012345"},
		{types.Of(types.Float), columnar.FloatValue(float64(float32(3.4))), "3.4"},
		{types.Dec(12, 2), columnar.IntValue(-5), "-0.05"},
		{types.Dec(12, 2), columnar.IntValue(12000), "120.00"},
		{types.Dec(12, 0), columnar.IntValue(12000), "12000"},
		{types.Dec(38, 10), d128(true, 0, 1), "-0.0000000001"},
		{types.Dec(38, 0), d128(false, 0x4b3b4ca85a86c47a, 0x098a223fffffffff), "99999999999999999999999999999999999999"},
		{types.Dec(38, 3), d128(true, 0x4b3b4ca85a86c47a, 0x098a223fffffffff), "-99999999999999999999999999999999999.999"},
		{types.Dec(38, 0), d128(false, 1, 0), "18446744073709551616"},
		{types.Of(types.Date), columnar.IntValue(0), "1970-01-01"},
		{types.Of(types.Date), columnar.IntValue(2932896), "9999-12-31"},
		{types.Type{Kind: types.Time, Precision: 3}, columnar.IntValue(3_723_004), "01:02:03.004"},
		{types.Type{Kind: types.Time}, columnar.IntValue(3_723_004), "01:02:03"},
		{types.TimestampOf(3), columnar.IntValue(-1), "1969-12-31 23:59:59.999"},
		{types.TimestampOf(0), columnar.IntValue(1000), "1970-01-01 00:00:01"},
		{types.TimestampOf(6), columnar.IntValue(1), "1970-01-01 00:00:00.000001"},
		{types.TimestampOf(9), columnar.Time96Value(-1, 999_999), "1969-12-31 23:59:59.999999"},
		{types.LTZOf(3), columnar.IntValue(0), "1970-01-01 01:00:00.000"},
		{types.String(), columnar.StringValue("a\x00b"), "a\x00b"},
	}
	for _, tt := range tests {
		v := columnar.NewVector(tt.typ, 1)
		v.AppendValue(tt.val)
		x := NewTexter(tt.typ, berlin)
		if got := string(x.Append(nil, v, 0)); got != tt.want {
			t.Errorf("kind %d of %+v: got %q, want %q", tt.typ.Kind, tt.val, got, tt.want)
		}
	}
}

func TestTexterFollowsZoneChanges(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no zone data")
	}
	v := columnar.NewVector(types.LTZOf(0), 4)
	var want []string
	for _, ms := range []int64{1_774_745_999_000, 1_774_746_000_000, 1_774_745_999_000, 0} {
		v.AppendI64(ms)
		want = append(want, time.UnixMilli(ms).In(loc).Format(time.DateTime))
	}
	x := NewTexter(v.Type, loc)
	for i := range want {
		if got := string(x.Append(nil, v, i)); got != want[i] {
			t.Errorf("slot %d: got %s, want %s", i, got, want[i])
		}
	}
}

func TestAppendJSON(t *testing.T) {
	row := types.RowOf(
		types.Field{Name: "a", Type: types.Of(types.Int)},
		types.Field{Name: "s", Type: types.String()},
		types.Field{Name: "m", Type: types.MapOf(types.String(), types.Of(types.Boolean))},
		types.Field{Name: "n", Type: types.MapOf(types.Of(types.Int), types.Bytes())},
		types.Field{Name: "l", Type: types.ArrayOf(types.Of(types.Date))},
	)
	v := columnar.NewVector(row, 1)
	v.Children[0].AppendI32(1)
	v.Children[1].AppendString("x\"\n\x01é\xff")
	v.Children[2].Children[0].AppendString("k")
	v.Children[2].Children[1].AppendI32(1)
	v.Children[2].EndList()
	v.Children[3].Children[0].AppendI32(5)
	v.Children[3].Children[1].AppendString("\x0a\xff")
	v.Children[3].EndList()
	v.Children[4].Children[0].AppendI32(0)
	v.Children[4].Children[0].AppendNull()
	v.Children[4].EndList()
	v.EndList()
	want := `{"a": 1, "s": "x\"\n\u0001é` + "\uFFFD" + `", "m": {"k": true}, "n": [[5, "0x0AFF"]], "l": ["1970-01-01", null]}`
	if got := string(AppendJSON(nil, v, 0, time.UTC)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
