package deletionvector

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
)

func rows(from, to uint64) (p Positions) {
	for ; from <= to; from++ {
		p = append(p, from)
	}
	return p
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		p    Positions
		wide bool
		want string
		r    datafile.VectorRange
	}{
		{Positions{1}, false, "01 00000016 5e43f2d0 3a3000000100000000000000100000000100 fa2b5192", datafile.VectorRange{Offset: 1, Length: 22}},
		{Positions{1, 3}, false, "01 00000018 5e43f2d0 3a30000001000000000001001000000001000300 da2d59d3", datafile.VectorRange{Offset: 1, Length: 24}},
		{rows(0, 9), false, "01 00000013 5e43f2d0 3b3000000100000900010000000900 a34efa89", datafile.VectorRange{Offset: 1, Length: 19}},
		{Positions{1}, true, "01 00000022 d1d33964 0100000000000000 00000000 3a3000000100000000000000100000000100 eebd85f4", datafile.VectorRange{Offset: 1, Length: 42}},
	} {
		file, r, err := Append(nil, "f", c.p, c.wide)
		if err != nil {
			t.Fatal(err)
		}
		c.r.DataFile, c.r.Cardinality = "f", int64(len(c.p))
		if got := hex.EncodeToString(file); got != strings.ReplaceAll(c.want, " ", "") || r != c.r {
			t.Errorf("%v: %s, %+v", c.p, got, r)
		}
		back, err := Decode(file, r)
		if err != nil || !slices.Equal(back, c.p) {
			t.Errorf("%v came back as %v, %v", c.p, back, err)
		}
	}
}

func TestSeveralVectorsInOneFile(t *testing.T) {
	var file []byte
	vectors := []Positions{rows(0, 100_000), {5, 1 << 40, 1<<40 + 7}, {0}}
	var ranges []datafile.VectorRange
	for i, p := range vectors {
		var r datafile.VectorRange
		var err error
		if file, r, err = Append(file, string(rune('a'+i)), p, true); err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, r)
	}
	for i, r := range ranges {
		if p, err := Decode(file, r); err != nil || !slices.Equal(p, vectors[i]) {
			t.Errorf("vector %d: %d rows, %v", i, len(p), err)
		}
	}
	if _, _, err := Append(nil, "f", Positions{1 << 32}, false); err == nil {
		t.Error("a row beyond 32 bits passes")
	}
}

// TestDamage: no byte of a vector may change unnoticed.
func TestDamage(t *testing.T) {
	file, r, err := Append(nil, "f", Positions{1, 3, 70_000}, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		bad := slices.Clone(file)
		bad[i] ^= 0x10
		if _, err := Decode(bad, r); !errors.Is(err, corrupt.Err) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	for n := range file {
		if _, err := Decode(file[:n], r); !errors.Is(err, corrupt.Err) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, wide := range []bool{false, true} {
		file, r, err := Append(nil, "f", rows(0, 9), wide)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file[5:len(file)-4], r.Length)
	}
	f.Fuzz(func(_ *testing.T, payload []byte, _ int32) {
		if len(payload) >= 4 {
			_, _, _ = decodePayload(payload)
		}
	})
}
