package fileindex

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

func TestWang(t *testing.T) {
	for x, want := range map[int64]uint64{
		0: 0, 1: 6614235796240398542, -1: 6614246905173314819, 42: 1098236396662648698, 1 << 40: 6024996419662910741,
	} {
		if got := wang(x); got != want {
			t.Errorf("wang(%d) = %d, want %d", x, got, want)
		}
	}
}

func TestBloomGolden(t *testing.T) {
	b := NewBloom(100, 0.1)
	b.Add(Hash(types.Of(types.Int), columnar.IntValue(1)))
	want := make([]byte, 64)
	want[3], want[4+18], want[4+56], want[4+58] = 3, 0x80, 0x01, 0x40
	if got := b.Encode(); !bytes.Equal(got, want) {
		t.Errorf("got %x", got)
	}
	if d := NewBloom(defaultItems, defaultFPP); len(d.bits)*8 != 4792536 || d.k != 3 {
		t.Errorf("default filter has %d bits and %d functions", len(d.bits)*8, d.k)
	}
}

func TestContainerGolden(t *testing.T) {
	c := Container{"a": {{Type: BloomFilter, Body: []byte{0, 0, 0, 7, 1}}}}
	const want = "00054e4ed01a35ae00000001000000350000000100016100000001000c626c6f6f6d2d66696c7465720000003500000005000000000000000701"
	if got := hex.EncodeToString(c.Encode("")); got != want {
		t.Errorf("got %s", got)
	}
	back, err := Decode(c.Encode(""), "any")
	if err != nil || len(back["a"]) != 1 || !bytes.Equal(back["a"][0].Body, c["a"][0].Body) {
		t.Errorf("came back as %v, %v", back, err)
	}
}

// TestChecksum changes every byte of a container and takes it for that of another file.
func TestChecksum(t *testing.T) {
	data := Container{"a": {{Type: BloomFilter, Body: []byte{0, 0, 0, 7, 1, 0, 0xff}}}, "b": {{Type: BloomFilter}}}.Encode("data-1")
	if _, err := Decode(data, "data-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(data, "data-2"); !errors.Is(err, corrupt.Err) {
		t.Errorf("taken for that of another file: %v", err)
	}
	for i := range data {
		for _, bad := range []byte{data[i] ^ 1, data[i] ^ 0x80, 0, 0xff} {
			c := bytes.Clone(data)
			if c[i] = bad; bad == data[i] {
				continue
			}
			if got, err := Decode(c, "data-1"); !errors.Is(err, corrupt.Err) && len(got) > 0 {
				t.Errorf("byte %d = %x: %v", i, bad, err)
			}
		}
		zeroed := bytes.Clone(data)
		clear(zeroed[i:])
		if got, err := Decode(zeroed, "data-1"); err == nil && len(got) > 0 && !bytes.Equal(zeroed, data) {
			t.Errorf("zeroed from byte %d on passes", i)
		}
	}
}

// TestMayMatch: what was written is never ruled out, most of what was not is.
func TestMayMatch(t *testing.T) {
	fields := []types.Field{
		{Name: "i", Type: types.Of(types.BigInt)}, {Name: "s", Type: types.String()}, {Name: "n", Type: types.Of(types.Int)},
		{Name: "f", Type: types.Of(types.Double)},
	}
	spec, err := NewSpec(fields, map[string]string{
		"file-index.bloom-filter.columns": "i, s,n,f", "file-index.bloom-filter.i.items": "1000", "file-index.bloom-filter.i.fpp": "0.01",
		"file-index.bloom-filter.s.items": "1000", "file-index.bloom-filter.n.items": "10", "file-index.bloom-filter.f.items": "10",
	}, 500)
	if err != nil {
		t.Fatal(err)
	}
	b := columnar.NewBatch(types.FieldTypes(fields), 1000)
	for i := range 1000 {
		b.Cols[0].AppendI64(int64(i * 7))
		b.Cols[1].AppendString(fmt.Sprintf("value %d", i))
		b.Cols[2].AppendNull()
		b.Cols[3].AppendF64(float64(i))
	}
	b.N = 1000
	builder := spec.NewBuilder()
	builder.Add(b)
	c, err := Decode(builder.Encode("f"), "f")
	if err != nil {
		t.Fatal(err)
	}
	column := func(i int) (string, types.Type, bool) { return fields[i].Name, fields[i].Type, true }
	may := func(n *predicate.Node) bool { return c.MayMatch(n, column) }
	falsePositives := 0
	for i := range 1000 {
		if !may(predicate.Eq(0, fields[0].Type, columnar.IntValue(int64(i*7)))) ||
			!may(predicate.Eq(1, fields[1].Type, columnar.StringValue(fmt.Sprintf("value %d", i)))) {
			t.Fatalf("row %d is ruled out", i)
		}
		if may(predicate.Eq(0, fields[0].Type, columnar.IntValue(int64(i*7+1)))) {
			falsePositives++
		}
	}
	if falsePositives > 40 {
		t.Errorf("%d of 1000 values that are not there pass", falsePositives)
	}
	for _, x := range []struct {
		n    *predicate.Node
		want bool
	}{
		{predicate.Eq(2, fields[2].Type, columnar.IntValue(1)), false},
		{predicate.IsNull(2, fields[2].Type), true},
		{predicate.IsNotNull(2, fields[2].Type), false},
		{predicate.Gt(2, fields[2].Type, columnar.IntValue(1)), false},
		{predicate.Gt(0, fields[0].Type, columnar.IntValue(1<<40)), true},
		{predicate.Or(predicate.Eq(0, fields[0].Type, columnar.IntValue(1)), predicate.Eq(0, fields[0].Type, columnar.IntValue(7))), true},
		{predicate.And(predicate.Eq(2, fields[2].Type, columnar.IntValue(1)), predicate.Eq(0, fields[0].Type, columnar.IntValue(7))), false},
		{predicate.Eq(3, fields[3].Type, columnar.FloatValue(0)), true},
	} {
		if got := may(x.n); got != x.want {
			t.Errorf("%v: %v", x.n, got)
		}
	}
	if !c.MayMatch(predicate.Eq(0, fields[0].Type, columnar.IntValue(1)), func(int) (string, types.Type, bool) { return "", types.Type{}, false }) {
		t.Error("a column that is not the same any more must keep the file")
	}
}

func TestSpecRefuses(t *testing.T) {
	fields := []types.Field{{Name: "d", Type: types.Dec(10, 2)}}
	for _, o := range []map[string]string{
		{"file-index.bloom-filter.columns": "x"}, {"file-index.bloom-filter.columns": "d"},
	} {
		if _, err := NewSpec(fields, o, 0); err == nil {
			t.Errorf("%v passes", o)
		}
	}
}

// Tables of other engines may have filters on keys of a MAP: they are read without.
func TestSpecPassesOverMapKeys(t *testing.T) {
	fields := []types.Field{{Name: "m", Type: types.MapOf(types.String(), types.String())}, {Name: "i", Type: types.Of(types.Int)}}
	s, err := NewSpec(fields, map[string]string{"file-index.bloom-filter.columns": "m[a],i,m[b]", "file-index.bloom-filter.m[a].items": "50"}, 0)
	if err != nil || len(s.columns) != 1 || s.columns[0].name != "i" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := NewSpec(fields, map[string]string{"file-index.bloom-filter.columns": "i[a]"}, 0); err == nil {
		t.Error("a key of a column that is no MAP passes")
	}
}

func FuzzDecode(f *testing.F) {
	own := Container{"a": {{Type: BloomFilter, Body: []byte{0, 0, 0, 7, 1}}, {Type: "bitmap"}}}
	f.Add(own.Encode(""))
	f.Add(own.Encode("f"))
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if _, err := Decode(data, ""); err != nil {
			f.Fatalf("%s: %v", path, err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		c, err := Decode(data, "f")
		if err != nil {
			return
		}
		for _, list := range c {
			for _, x := range list {
				if b, err := DecodeBloom(x.Body); err == nil {
					b.MayHold(12345)
				}
			}
		}
	})
}
