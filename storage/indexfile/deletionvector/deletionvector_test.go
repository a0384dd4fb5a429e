package deletionvector

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

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
		file, r, err := appendVector(nil, "f", c.p, c.wide)
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
		if file, r, err = appendVector(file, string(rune('a'+i)), p, true); err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, r)
	}
	for i, r := range ranges {
		if p, err := Decode(file, r); err != nil || !slices.Equal(p, vectors[i]) {
			t.Errorf("vector %d: %d rows, %v", i, len(p), err)
		}
	}
	if _, _, err := appendVector(nil, "f", Positions{1 << 32}, false); err == nil {
		t.Error("a row beyond 32 bits passes")
	}
}

// TestDamage: no byte of a vector may change unnoticed.
func TestDamage(t *testing.T) {
	file, r, err := appendVector(nil, "f", Positions{1, 3, 70_000}, false)
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
		file, r, err := appendVector(nil, "f", rows(0, 9), wide)
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

// appendVector appends a vector to the bytes of an index file, empty at first, and
// returns where it is. wide is the 64-bit form.
func appendVector(file []byte, dataFile string, p Positions, wide bool) ([]byte, datafile.VectorRange, error) {
	if len(file) == 0 {
		file = append(file, version)
	}
	payload, err := encode(p, wide)
	if err != nil {
		return file, datafile.VectorRange{}, err
	}
	r := datafile.VectorRange{DataFile: dataFile, Offset: int32(len(file)), Length: int32(len(payload)), Cardinality: int64(len(p))}
	if wide {
		r.Length += frameBytes
	}
	file = binary.BigEndian.AppendUint32(file, uint32(len(payload)))
	file = append(file, payload...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(payload)), r, nil
}

func encode(p Positions, wide bool) ([]byte, error) {
	byKey := map[uint32]*roaring.Bitmap{}
	var keys []uint32
	for _, x := range p {
		k := uint32(x >> 32)
		if byKey[k] == nil {
			byKey[k] = roaring.New()
			keys = append(keys, k)
		}
		byKey[k].Add(uint32(x))
	}
	slices.Sort(keys)
	if !wide {
		out := binary.BigEndian.AppendUint32(nil, magic32)
		m := byKey[0]
		if m == nil {
			m = roaring.New()
		}
		if len(keys) > 1 || len(keys) == 1 && keys[0] != 0 {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "row beyond 32 bits in a 32-bit deletion vector")
		}
		return appendBitmap(out, m)
	}
	out := binary.LittleEndian.AppendUint32(nil, magic64)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(keys)))
	for _, k := range keys {
		out = binary.LittleEndian.AppendUint32(out, k)
		var err error
		if out, err = appendBitmap(out, byKey[k]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendBitmap(dst []byte, m *roaring.Bitmap) ([]byte, error) {
	m.RunOptimize()
	b, err := m.ToBytes()
	return append(dst, b...), err
}
