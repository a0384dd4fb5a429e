package row

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// testdata/buckets.txt has keys that the reference wrote into tables of 4 buckets, by
// type: the bucket it chose and the key, as i(nteger), d(ecimal of 128 bits), f(loat) or
// s(tring in hex).
func TestBucketsOfTheReference(t *testing.T) {
	data, err := os.ReadFile("testdata/buckets.txt")
	if err != nil {
		t.Fatal(err)
	}
	var ty types.Type
	var b *Bucketer
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if text, ok := strings.CutPrefix(line, "# "); ok {
			if ty, err = types.Parse(text); err != nil {
				t.Fatal(err)
			}
			if b, err = NewBucketer(DefaultBuckets, []types.Type{ty}, 4); err != nil {
				t.Fatal(err)
			}
			continue
		}
		bucket, key, _ := strings.Cut(line, " ")
		v, err := parseKey(key)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		seen++
		if got := b.BucketOf([]columnar.Value{v}); strconv.Itoa(got) != bucket {
			t.Errorf("%s %s: bucket %d, want %s", ty, key, got, bucket)
		}
		if got := b.Buckets(nil, []*columnar.Vector{vec(ty, v)}, 1); strconv.Itoa(int(got[0])) != bucket {
			t.Errorf("%s %s in a batch: bucket %d, want %s", ty, key, got[0], bucket)
		}
	}
	if seen < 200 {
		t.Errorf("only %d keys", seen)
	}
}

func parseKey(s string) (columnar.Value, error) {
	switch s[0] {
	case 'i':
		i, err := strconv.ParseInt(s[1:], 10, 64)
		return columnar.IntValue(i), err
	case 'f':
		f, err := strconv.ParseFloat(s[1:], 64)
		return columnar.FloatValue(f), err
	case 's':
		b, err := hex.DecodeString(s[1:])
		return columnar.StringValue(string(b)), err
	case 'd':
		n, ok := new(big.Int).SetString(s[1:], 10)
		if !ok || !n.IsInt64() {
			return columnar.Value{}, fmt.Errorf("bad decimal")
		}
		return columnar.DecimalValue(columnar.Int128{Lo: uint64(n.Int64()), Hi: n.Int64() >> 63}), nil
	}
	return columnar.Value{}, fmt.Errorf("bad key")
}
