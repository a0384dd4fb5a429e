package parquet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	pqgo "github.com/parquet-go/parquet-go"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

func damageFields() []types.Field {
	return testkit.Fields([]types.Type{
		types.Of(types.BigInt).WithNotNull(true), types.Of(types.Int), types.String(), types.Of(types.Double), types.Of(types.Boolean),
		types.Dec(30, 3), types.TimestampOf(9), types.ArrayOf(types.String()), types.RowOf(types.Field{ID: 90, Name: "a", Type: types.Of(types.Int)}),
	})
}

// Whatever byte of our file changes, the reader says so or returns the same rows.
func TestEveryByteIsChecked(t *testing.T) {
	fields := damageFields()
	b := testkit.RandomBatch(testkit.Rand(21), typesOf(fields), 40, 0.2)
	for i := range b.N { // a dictionary
		b.Cols[1].I32[i] = b.Cols[1].I32[i] & 1
	}
	data := writeFile(t, format.WriteOptions{Fields: fields}, b)
	never := func(s format.BlockStats) bool {
		for _, f := range fields {
			s.Column(f.Name)
		}
		return false
	}
	bad := make([]byte, len(data))
	for i := range data {
		for bit := 0; bit < 8; bit += 3 {
			copy(bad, data)
			bad[i] ^= 1 << bit
			got, err := readFile(bad, format.ReadOptions{Fields: fields, Skip: never})
			if err == nil {
				if err = testkit.EqualBatches(got, b); err != nil {
					t.Fatalf("byte %d of %d, bit %d: other rows: %v", i, len(data), bit, err)
				}
				continue
			}
			if !errors.Is(err, corrupt.Err) && !strings.Contains(err.Error(), "not supported") {
				t.Fatalf("byte %d, bit %d: not told as damage: %v", i, bit, err)
			}
			if !strings.Contains(err.Error(), "f.parquet") {
				t.Fatalf("byte %d, bit %d: the file is not named: %v", i, bit, err)
			}
		}
	}
	for n := range len(data) {
		if _, err := readFile(data[:n], format.ReadOptions{Fields: fields}); !errors.Is(err, corrupt.Err) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(data), err)
		}
	}
}

// TestChecksumsOfOtherWriters: parquet-go gives its pages checksums, and a changed byte
// of one is found, in flat and in nested columns.
func TestChecksumsOfOtherWriters(t *testing.T) {
	name := "a name that stands in a page"
	for _, version := range []int{1, 2} {
		var buf bytes.Buffer
		w := pqgo.NewGenericWriter[parquetGoRow](&buf, pqgo.DataPageVersion(version), pqgo.Compression(&pqgo.Uncompressed))
		if _, err := w.Write([]parquetGoRow{{ID: 7, Name: &name, Tags: []string{"a tag that stands in a page"}}}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		fields := []types.Field{{Name: "tags", Type: types.ArrayOf(types.String())}, {Name: "name", Type: types.String()}}
		want, err := readFile(buf.Bytes(), format.ReadOptions{Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"name that stands", "tag that stands"} {
			found := 0
			for at := range buf.Len() {
				if !bytes.HasPrefix(buf.Bytes()[at:], []byte(text)) {
					continue // statistics repeat it
				}
				bad := bytes.Clone(buf.Bytes())
				bad[at] ^= 1
				got, err := readFile(bad, format.ReadOptions{Fields: fields})
				switch {
				case errors.Is(err, corrupt.Err) && strings.Contains(err.Error(), "f.parquet"):
					found++
					continue
				case err == nil:
					err = testkit.EqualBatches(got, want)
				}
				if err != nil {
					t.Errorf("page version %d, %s at %d: %v", version, text, at, err)
				}
			}
			if found != 1 {
				t.Errorf("page version %d, %s: %d changes were found", version, text, found)
			}
		}
	}
}

// Damaged files of other writers may give other rows, but no panic.
func TestDamagedFixtures(t *testing.T) {
	rng := testkit.Rand(22)
	for _, name := range []string{"atoms", "nested", "variant", "lz4", "pypaimon"} {
		f := loadFixture(t, name)
		for range 400 {
			bad := append([]byte(nil), f.files[0]...)
			for range 1 + rng.IntN(3) {
				bad[rng.IntN(len(bad))] = byte(rng.Uint32())
			}
			_ = drain(bad, format.ReadOptions{Fields: f.fields, KeepDictionary: rng.IntN(2) == 0, Skip: func(s format.BlockStats) bool {
				s.Column(f.fields[0].Name)
				return rng.IntN(4) == 0
			}})
		}
	}
}

// drain reads a file to its end or first error.
func drain(data []byte, o format.ReadOptions) error {
	r, err := New(codec.NewPool()).Open(context.Background(), fileOf(data), "f.parquet", o)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next(context.Background())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, v := range b.Cols {
			if err := testkit.CheckVector(v); err != nil {
				return err
			}
		}
	}
}

// fuzzFields ask for columns by the names that the seeds have.
func fuzzFields(t testing.TB) []types.Field {
	var out []types.Field
	seen := map[string]bool{}
	for _, name := range []string{"atoms", "nested", "variant", "pypaimon"} {
		for _, f := range loadFixture(t, name).fields {
			if !seen[f.Name] {
				seen[f.Name] = true
				out = append(out, f)
			}
		}
	}
	for _, f := range damageFields() {
		f.Name = "own_" + f.Name
		out = append(out, f)
	}
	return out
}

func FuzzRead(f *testing.F) {
	fields := fuzzFields(f)
	for _, name := range []string{"atoms", "nested", "variant", "lz4", "pypaimon", "paimon-1.0.1"} {
		for _, data := range loadFixture(f, name).files {
			f.Add(data, false)
		}
	}
	own := damageFields()
	for i := range own {
		own[i].Name = "own_" + own[i].Name
	}
	b := testkit.RandomBatch(testkit.Rand(23), typesOf(own), 30, 0.3)
	f.Add(writeFile(f, format.WriteOptions{Fields: own, Compression: "none"}, b), true)
	f.Fuzz(func(t *testing.T, data []byte, keep bool) {
		err := drain(data, format.ReadOptions{Fields: fields, KeepDictionary: keep, BatchRows: 100, Skip: func(s format.BlockStats) bool {
			s.Column("k")
			return false
		}})
		if err != nil && strings.Contains(err.Error(), "columnar") {
			t.Fatal(err) // a malformed vector
		}
	})
}

func FuzzValues(f *testing.F) {
	f.Add(uint8(2), uint8(5), uint16(100), []byte{128, 1, 4, 100, 2})
	f.Add(uint8(6), uint8(0), uint16(2), []byte{1, 0, 0, 0, 'a', 0, 0, 0, 0})
	f.Add(uint8(6), uint8(7), uint16(2), []byte{128, 1, 4, 2, 0, 128, 1, 4, 2, 2})
	f.Add(uint8(0), uint8(3), uint16(9), []byte{2, 0, 0, 0, 18, 1})
	f.Fuzz(func(t *testing.T, typ, enc uint8, n uint16, body []byte) {
		body = append(make([]byte, 0, len(body)+slack), body...)
		p := physical(typ % 8)
		v := values{width: widthOf(p, 5)}
		if err := v.decode(p, encoding(enc%10), int(n), body, false); err == nil && v.n != int(n) {
			t.Fatalf("%d values, want %d", v.n, n)
		}
		dst := make([]int32, n)
		_ = decodeHybrid(dst, body, uint(typ)%33)
		words := make([]uint64, (int(n)+63)/64)
		if valid, err := decodeValidity(words, int(n), body); err == nil && valid > int(n) {
			t.Fatalf("%d of %d are there", valid, n)
		}
		levels := make([]uint8, n)
		_ = decodeLevels(levels, body, enc%8+1)
	})
}

func TestLevelsRoundTrip(t *testing.T) {
	rng := testkit.Rand(24)
	for limit := uint8(1); limit <= 9; limit++ {
		for _, n := range []int{0, 1, 7, 8, 9, 100, 1000} {
			levels := make([]uint8, n)
			for i := range levels {
				if levels[i] = uint8(rng.IntN(int(limit) + 1)); i > 0 && rng.IntN(10) > 0 {
					levels[i] = levels[i-1]
				}
			}
			b := appendLevels(nil, levels, limit)
			got := make([]uint8, n)
			if err := decodeLevels(got, append(b, make([]byte, slack)...)[:len(b)], limit); err != nil || string(got) != string(levels) {
				t.Fatalf("limit %d, %d levels: %v", limit, n, err)
			}
		}
	}
	for _, n := range []int{0, 1, 8, 65, 1000} {
		for from := range 70 {
			words := make([]uint64, (from+n+63)/64)
			want := make([]uint64, (n+63)/64)
			for i := range n {
				if rng.IntN(2) == 0 {
					words[(from+i)>>6] |= 1 << ((from + i) & 63)
					want[i>>6] |= 1 << (i & 63)
				}
			}
			got := make([]uint64, len(want))
			if _, err := decodeValidity(got, n, appendValidity(nil, words, from, n)); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%d bits from %d: word %d is %x, want %x", n, from, i, got[i], want[i])
				}
			}
		}
	}
}

var _ columnar.Reader = (*reader)(nil)
