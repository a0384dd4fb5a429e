package codec

import (
	"testing"
)

// FuzzDecompress gives any bytes to every codec: no panic, and never more than the
// size that was asked for.
func FuzzDecompress(f *testing.F) {
	p := NewPool()
	all := []Codec{None, Zstd, Snappy, Gzip, Brotli, LZ4Raw, LZ4Hadoop, Deflate}
	text := []byte("a page, a page, a page, and some more of the same page")
	for i, c := range all {
		data, err := p.Compress(c, 3, nil, text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), uint16(len(text)), data)
	}
	f.Fuzz(func(t *testing.T, which uint8, size uint16, data []byte) {
		c := all[int(which)%len(all)]
		if out, err := p.Decompress(c, nil, data, int(size)); err == nil && len(out) != int(size) {
			t.Errorf("%s gave %d bytes, want %d", c, len(out), size)
		}
		if out, err := p.DecompressBounded(c, nil, data, int(size)); err == nil && len(out) > int(size) {
			t.Errorf("%s gave %d bytes, at most %d", c, len(out), size)
		}
	})
}
