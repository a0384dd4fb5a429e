package row

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func vec(t types.Type, vals ...columnar.Value) *columnar.Vector {
	v := columnar.NewVector(t, len(vals))
	for _, x := range vals {
		v.AppendValue(x)
	}
	return v
}

var (
	intV = columnar.IntValue
	strV = columnar.StringValue
	fltV = columnar.FloatValue
	null = columnar.NullValue
)

// The expected bytes and hashes were made by Paimon's Java classes.
func TestGoldenRows(t *testing.T) {
	dec := func(i int64) columnar.Value {
		return columnar.DecimalValue(columnar.Int128{Lo: uint64(i), Hi: i >> 63})
	}
	of := types.Of
	for _, c := range []struct {
		name string
		ts   []types.Type
		vals []columnar.Value
		hex  string
		hash int32
	}{
		{"arity 0", nil, nil, "00000000 0000000000000000", -1670924195},
		{"int 1", []types.Type{of(types.Int)}, []columnar.Value{intV(1)}, "00000001 0000000000000000 0100000000000000", 1465514398},
		{"bigint 1", []types.Type{of(types.BigInt)}, []columnar.Value{intV(1)}, "00000001 0000000000000000 0100000000000000", 1465514398},
		{"true", []types.Type{of(types.Boolean)}, []columnar.Value{intV(1)}, "00000001 0000000000000000 0100000000000000", 1465514398},
		{"int -5", []types.Type{of(types.Int)}, []columnar.Value{intV(-5)}, "00000001 0000000000000000 fbffffff00000000", -343067111},
		{"bigint -1", []types.Type{of(types.BigInt)}, []columnar.Value{intV(-1)}, "00000001 0000000000000000 ffffffffffffffff", -821098432},
		{"null int", []types.Type{of(types.Int)}, []columnar.Value{null}, "00000001 0001000000000000 0000000000000000", -1748325344},
		{"empty", []types.Type{types.String()}, []columnar.Value{strV("")}, "00000001 0000000000000000 0000000000000080", 302122119},
		{"abc", []types.Type{types.String()}, []columnar.Value{strV("abc")}, "00000001 0000000000000000 6162630000000083", -101922419},
		{"1234567", []types.Type{types.String()}, []columnar.Value{strV("1234567")}, "00000001 0000000000000000 3132333435363787", 199144172},
		{"12345678", []types.Type{types.String()}, []columnar.Value{strV("12345678")}, "00000001 0000000000000000 0800000010000000 3132333435363738", -391021801},
		{"hello paimon", []types.Type{types.String()}, []columnar.Value{strV("hello paimon")}, "00000001 0000000000000000 0c00000010000000 68656c6c6f207061696d6f6e00000000", 168916036},
		{"int and text", []types.Type{of(types.Int), types.String()}, []columnar.Value{intV(7), strV("2024-01-01")}, "00000002 0000000000000000 0700000000000000 0a00000018000000 323032342d30312d3031000000000000", 917662860},
		{"tinyint", []types.Type{of(types.TinyInt)}, []columnar.Value{intV(-1)}, "00000001 0000000000000000 ff00000000000000", 2004758659},
		{"smallint", []types.Type{of(types.SmallInt)}, []columnar.Value{intV(300)}, "00000001 0000000000000000 2c01000000000000", 690796707},
		{"float", []types.Type{of(types.Float)}, []columnar.Value{fltV(1.5)}, "00000001 0000000000000000 0000c03f00000000", -173842779},
		{"double", []types.Type{of(types.Double)}, []columnar.Value{fltV(1.5)}, "00000001 0000000000000000 000000000000f83f", 1860889473},
		{"date", []types.Type{of(types.Date)}, []columnar.Value{intV(19723)}, "00000001 0000000000000000 0b4d000000000000", -1439008885},
		{"decimal 10,2", []types.Type{types.Dec(10, 2)}, []columnar.Value{intV(12345)}, "00000001 0000000000000000 3930000000000000", 767607022},
		{"decimal 20,2", []types.Type{types.Dec(20, 2)}, []columnar.Value{dec(-12345)}, "00000001 0000000000000000 0200000010000000 cfc70000000000000000000000000000", -605613085},
		{"null decimal 20,2", []types.Type{types.Dec(20, 2)}, []columnar.Value{null}, "00000001 0001000000000000 0000000010000000 00000000000000000000000000000000", -1380280760},
		{"timestamp 3", []types.Type{types.TimestampOf(3)}, []columnar.Value{intV(1704067200123)}, "00000001 0000000000000000 7bf451c28c010000", 985649424},
		{"timestamp 6", []types.Type{types.TimestampOf(6)}, []columnar.Value{intV(1704067200123456)}, "00000001 0000000000000000 40f5060010000000 7bf451c28c010000", 941252157},
		{"timestamp 9", []types.Type{types.TimestampOf(9)}, []columnar.Value{columnar.Time96Value(1704067200123, 456000)}, "00000001 0000000000000000 40f5060010000000 7bf451c28c010000", 941252157},
		{"null timestamp 6", []types.Type{types.TimestampOf(6)}, []columnar.Value{null}, "00000001 0001000000000000 0000000010000000 0000000000000000", -340882661},
		{"binary", []types.Type{types.Bytes()}, []columnar.Value{strV("\x01\x02\x03\x04\x05\x06\x07\x08\x09")}, "00000001 0000000000000000 0900000010000000 01020304050607080900000000000000", -171399545},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := hex.DecodeString(strings.ReplaceAll(c.hex, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			got := Serialize(c.ts, c.vals)
			if hex.EncodeToString(got) != hex.EncodeToString(want) {
				t.Errorf("wrote %x\nwant  %x", got, want)
			}
			var cols []*columnar.Vector
			for i := range c.ts {
				cols = append(cols, vec(c.ts[i], c.vals[i]))
			}
			if got := SerializeRow(cols, 0); hex.EncodeToString(got) != hex.EncodeToString(want) {
				t.Errorf("from vectors %x\nwant         %x", got, want)
			}
			if h := Hash(want[4:]); h != c.hash {
				t.Errorf("hash %d, want %d", h, c.hash)
			}
			if h := HashBatch(nil, cols, 1); int32(h[0]) != c.hash {
				t.Errorf("batch hash %d, want %d", int32(h[0]), c.hash)
			}
			back, err := Deserialize(c.ts, want)
			if err != nil {
				t.Fatal(err)
			}
			for i := range back {
				if back[i] != c.vals[i] {
					t.Errorf("field %d read as %+v, want %+v", i, back[i], c.vals[i])
				}
			}
		})
	}
}

func TestGoldenNested(t *testing.T) {
	arr := columnar.NewVector(types.ArrayOf(types.Of(types.BigInt)), 1)
	for _, v := range []columnar.Value{intV(0), null, intV(5)} {
		arr.Children[0].AppendValue(v)
	}
	arr.EndList()
	want := "030000000200000000000000000000000000000000000000" + "0500000000000000"
	if got := hex.EncodeToString(appendArray(nil, arr.Children[0], 0, 3)); got != want {
		t.Errorf("array %s\nwant  %s", got, want)
	}

	ints := columnar.NewVector(types.ArrayOf(types.Of(types.Int)), 1)
	for _, v := range []columnar.Value{intV(1), null, intV(3)} {
		ints.Children[0].AppendValue(v)
	}
	ints.EndList()
	m := columnar.NewVector(types.MapOf(types.Of(types.Int), types.Of(types.BigInt)), 1)
	m.Children[0].AppendI32(1)
	m.Children[1].AppendI64(2)
	m.EndList()
	r := columnar.NewVector(types.RowOf(types.Field{ID: 1, Name: "a", Type: types.Of(types.Int)}, types.Field{ID: 2, Name: "b", Type: types.String()}), 1)
	r.Children[0].AppendI32(5)
	r.Children[1].AppendString("hi")
	r.EndList()
	want = "000000030000000000000000" + "180000002000000024000000380000001800000060000000" +
		"0300000002000000010000000000000003000000" + "00000000" +
		"10000000" + "01000000000000000100000000000000" + "01000000000000000200000000000000" + "00000000" +
		"000000000000000005000000000000006869000000000082"
	if got := hex.EncodeToString(SerializeRow([]*columnar.Vector{ints, m, r}, 0)); got != want {
		t.Errorf("row  %s\nwant %s", got, want)
	}
}
