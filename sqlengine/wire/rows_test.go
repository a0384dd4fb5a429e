package wire

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Values that are no numbers, or infinite, are NULL in both protocols, and counted
// for the warning; other values are told apart from NULL.
func TestRowsOfSpecialNumbers(t *testing.T) {
	b := columnar.NewBatch([]types.Type{types.Of(types.Double), types.Of(types.Float)}, 4)
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5} {
		b.Cols[0].AppendValue(columnar.FloatValue(x))
		b.Cols[1].AppendValue(columnar.FloatValue(x))
		b.N++
	}
	b.Cols[0].AppendValue(columnar.NullValue)
	b.Cols[1].AppendValue(columnar.NullValue)
	b.N++
	e := newRowEncoder(sql.Schema{{Name: "d", Type: gmstypes.Float64}, {Name: "f", Type: gmstypes.Float32}}, time.UTC)
	if err := e.start(b); err != nil {
		t.Fatal(err)
	}
	fields := []*querypb.Field{{Type: querypb.Type_FLOAT64}, {Type: querypb.Type_FLOAT32}}
	for i, want := range []string{"\xfb\xfb", "\xfb\xfb", "\xfb\xfb", "\x030.5\x030.5", "\xfb\xfb"} {
		if got := string(e.appendSlot(nil, i)); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
		vals := e.values(fields, i)
		if null := vals[0].IsNull() && vals[1].IsNull(); null != (want == "\xfb\xfb") {
			t.Errorf("row %d: %v", i, vals)
		}
	}
	if e.nulls != 12 { // three rows of two columns, twice
		t.Errorf("%d values are counted", e.nulls)
	}
}

// Lengths change their form at 251 and 65536 bytes, also where a value's text is
// built in place.
func TestRowsOfLongValues(t *testing.T) {
	text, list := types.String(), types.ArrayOf(types.String())
	for _, n := range []int{0, 1, 246, 247, 250, 251, 65535, 65536} {
		s := strings.Repeat("x", n)
		b := columnar.NewBatch([]types.Type{text, list}, 1)
		b.Cols[0].AppendString(s)
		items := columnar.NewVector(text, 1)
		items.AppendString(s)
		b.Cols[1] = &columnar.Vector{Type: list, N: 1, Off: []int32{0, 1}, Children: []*columnar.Vector{items}}
		b.N = 1
		e := newRowEncoder(sql.Schema{{Name: "s", Type: gmstypes.LongText}, {Name: "j", Type: gmstypes.JSON}}, time.UTC)
		if err := e.start(b); err != nil {
			t.Fatal(err)
		}
		json := `["` + s + `"]`
		want := string(appendLenInt(nil, uint64(len(s)))) + s + string(appendLenInt(nil, uint64(len(json)))) + json
		if got := string(e.appendSlot(nil, 0)); got != want {
			t.Errorf("%d bytes: %.20q, want %.20q", n, got, want)
		}
	}
}

// Host rows of every type that the host's own functions and tables give.
func TestHostRows(t *testing.T) {
	ctx := sql.NewEmptyContext()
	at := time.Date(2026, 2, 3, 4, 5, 6, 7_000_000, time.UTC)
	for _, x := range []struct {
		t    sql.Type
		v    any
		want string
	}{
		{gmstypes.Int8, int8(-128), "-128"},
		{gmstypes.Uint8, uint8(255), "255"},
		{gmstypes.Int64, int64(math.MinInt64), "-9223372036854775808"},
		{gmstypes.Uint64, uint64(math.MaxUint64), "18446744073709551615"},
		{gmstypes.Float64, 1e-5, "0.00001"},
		{gmstypes.Boolean, int8(1), "1"},
		{gmstypes.LongText, "ü", "ü"},
		{gmstypes.LongText, "", ""},
		{gmstypes.LongBlob, []byte{0, 0xfb}, "\x00\xfb"},
		{gmstypes.Date, at, "2026-02-03"},
		{gmstypes.MustCreateDatetimeType(querypb.Type_DATETIME, 3), at, "2026-02-03 04:05:06.007"},
		{gmstypes.MustCreateDatetimeType(querypb.Type_DATETIME, 0), at, "2026-02-03 04:05:06"},
		{gmstypes.JSON, gmstypes.MustJSON(`{"a":[1,null]}`), `{"a": [1, null]}`},
		{gmstypes.Year, int16(2026), "2026"},
	} {
		e := newRowEncoder(sql.Schema{{Name: "c", Type: x.t}, {Name: "n", Type: x.t, Nullable: true}}, time.UTC)
		row := sql.Row{x.v, nil}
		got, err := e.appendRow(ctx, nil, row)
		if want := string(appendText(nil, x.want)) + "\xfb"; err != nil || string(got) != want {
			t.Errorf("%v: %q, %v, want %q", x.t, got, err, want)
		}
		vals, err := e.rowValues(ctx, row)
		if err != nil || vals[0].ToString() != x.want || !vals[1].IsNull() || vals[0].Type() != x.t.Type() {
			t.Errorf("%v: %v, %v", x.t, vals, err)
		}
	}
}
