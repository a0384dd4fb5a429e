package codec

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/lakesql/lakesql/internal/corrupt"
)

var all = []Codec{None, Snappy, Gzip, Brotli, Zstd, LZ4Hadoop, LZ4Raw, Deflate}

func inputs() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 400_000)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	text := make([]byte, 0, 400_000)
	for len(text) < 390_000 {
		text = fmt.Appendf(text, "%010x", rng.Uint64()&(1<<40-1))
	}
	in := map[string][]byte{
		"empty": {}, "one": {7}, "same": bytes.Repeat([]byte{9}, 300_000), "random": random, "text": text,
		"short text": text[:300], "middle text": text[:5000], "words": bytes.Repeat([]byte("the lake is deep "), 5000),
	}
	return in
}

func TestRoundTrip(t *testing.T) {
	p := NewPool()
	for name, src := range inputs() {
		for _, c := range all {
			for range 2 { // the second time with used coders
				out, err := p.Compress(c, 1, []byte("head"), src)
				if err != nil {
					t.Fatalf("%s %v: %v", name, c, err)
				}
				check(t, p, c, name, out, src)
			}
		}
		check(t, p, Zstd, name+" as text", p.CompressText([]byte("head"), src), src)
	}
}

func check(t *testing.T, p *Pool, c Codec, name string, out, src []byte) {
	t.Helper()
	if string(out[:4]) != "head" {
		t.Fatalf("%s %v: Compress does not append", name, c)
	}
	back, err := p.Decompress(c, []byte("x"), out[4:], len(src))
	if err != nil {
		t.Fatalf("%s %v: %v", name, c, err)
	}
	if !bytes.Equal(back[1:], src) {
		t.Fatalf("%s %v: other bytes come back", name, c)
	}
	for _, wrong := range []int{len(src) + 1, len(src) - 1} {
		if wrong < 0 {
			continue
		}
		if _, err := p.Decompress(c, nil, out[4:], wrong); !errors.Is(err, corrupt.Err) {
			t.Errorf("%s %v: size %d instead of %d: error %v", name, c, wrong, len(src), err)
		}
	}
	if c == LZ4Hadoop || c == LZ4Raw {
		return // Avro has no LZ4: its blocks do not tell their size
	}
	back, err = p.DecompressBounded(c, []byte("x"), out[4:], len(src))
	if err != nil {
		t.Fatalf("%s %v bounded: %v", name, c, err)
	}
	if !bytes.Equal(back[1:], src) {
		t.Fatalf("%s %v bounded: other bytes come back", name, c)
	}
	if len(src) > 0 {
		if _, err := p.DecompressBounded(c, nil, out[4:], len(src)-1); !errors.Is(err, corrupt.Err) {
			t.Errorf("%s %v: limit below the size: error %v", name, c, err)
		}
	}
}

func TestDamage(t *testing.T) {
	p := NewPool()
	src := inputs()["middle text"]
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range all {
		good, err := p.Compress(c, 1, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			bad := bytes.Clone(good)
			bad[rng.IntN(len(bad))] ^= byte(1 << rng.IntN(8))
			if rng.IntN(4) == 0 {
				bad = bad[:rng.IntN(len(bad))]
			}
			if out, err := p.Decompress(c, nil, bad, len(src)); err == nil && len(out) != len(src) {
				t.Fatalf("%v: %d bytes of %d", c, len(out), len(src))
			}
		}
	}
}

func TestHadoopFrames(t *testing.T) {
	// "abcdabcdabcdabcd" twice, each in its own frame, one literal run a block.
	frame, _ := hex.DecodeString("00000004" + "00000005" + "40" + "61626364" + "00000002" + "00000003" + "20" + "7879")
	out, err := NewPool().Decompress(LZ4Hadoop, nil, frame, 6)
	if err != nil || string(out) != "abcdxy" {
		t.Fatalf("got %q, %v", out, err)
	}
	bare, _ := hex.DecodeString("40" + "61626364")
	if out, err = NewPool().Decompress(LZ4Hadoop, nil, bare, 4); err != nil || string(out) != "abcd" {
		t.Fatalf("bare block: %q, %v", out, err)
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string]Codec{"": Zstd, "ZSTD": Zstd, "lz4": LZ4Hadoop, "none": None, "Gzip": Gzip, "brotli": Brotli, "snappy": Snappy} {
		if got, err := Parse(name); err != nil || got != want {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"lzo", "zip"} {
		if _, err := Parse(name); err == nil {
			t.Errorf("%q: no error", name)
		}
	}
}

// Streams of other writers do not tell the size of what they hold.
func TestBoundedZstdStream(t *testing.T) {
	p := NewPool()
	for name, src := range inputs() {
		var buf bytes.Buffer
		w, err := zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		for part := range slices.Chunk(src, 10_000) {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out, err := p.DecompressBounded(Zstd, []byte("x"), buf.Bytes(), len(src))
		if err != nil || !bytes.Equal(out[1:], src) {
			t.Errorf("%s: %d bytes, %v", name, len(out)-1, err)
		}
		if len(src) > 0 {
			if _, err := p.DecompressBounded(Zstd, nil, buf.Bytes(), len(src)-1); !errors.Is(err, corrupt.Err) {
				t.Errorf("%s beyond the limit: %v", name, err)
			}
		}
	}
}
