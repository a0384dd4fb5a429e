package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/types"
)

func TestFooterCache(t *testing.T) {
	fields := []types.Field{{Name: "a", Type: types.Of(types.BigInt)}}
	file := func(from int64) []byte {
		b := columnar.NewBatch(types.FieldTypes(fields), 0)
		for i := range int64(100) {
			b.Cols[0].AppendI64(from + i*i)
		}
		b.N = 100
		return writeFile(t, format.WriteOptions{Fields: fields}, b)
	}
	c := &footerCache{limit: maxFooterBytes}
	first := file(5)
	read := func(data []byte) (*footer, error) { return readFooter(fileOf(data), "f", c) }
	a, err := read(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := read(first)
	if err != nil || b.meta != a.meta || b.root != a.root || &b.tail[0] == &a.tail[0] || b.start != a.start || !b.own {
		t.Fatalf("the footer was not used again: %v", err)
	}
	if kept := c.byPath["f"]; kept.ft.tail != nil {
		t.Fatal("the cache holds the end of the file")
	}

	// Another file under the name, and a damaged one, are noticed.
	if d, err := read(file(9)); err != nil || d.meta == a.meta {
		t.Fatalf("the footer of another file: %v", err)
	}
	if _, err := read(first); err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(first)
	bad[len(bad)-30] ^= 1
	if _, err := read(bad); !errors.Is(err, corrupt.Err) {
		t.Fatalf("a damaged footer: %v", err)
	}
}

func TestFooterCacheIsBounded(t *testing.T) {
	c := &footerCache{limit: 1000}
	for i := range 100 {
		raw := make([]byte, 90)
		c.keep(fmt.Sprint("f", i), 7, raw, &footer{})
		if c.find(fmt.Sprint("f", i), 7, raw) == nil {
			t.Fatal("the newest footer is not there")
		}
		if c.bytes > c.limit || int64(90*len(c.byPath)) != c.bytes {
			t.Fatalf("%d bytes in %d footers", c.bytes, len(c.byPath))
		}
	}
	c.keep("large", 7, make([]byte, 600), &footer{})
	if c.find("large", 7, make([]byte, 600)) != nil {
		t.Fatal("a footer that is large in itself was kept")
	}
	var none *footerCache
	none.keep("f", 1, nil, &footer{})
	if none.find("f", 1, nil) != nil {
		t.Fatal("found without a cache")
	}
}
