package codec

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// Frames of a large page: the short one comes first, none is longer than Java's buffer.
func TestHadoopFramesShortFirst(t *testing.T) {
	p := NewPool()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 1000, HadoopPiece, HadoopPiece + 1, 2 * HadoopPiece, 2*HadoopPiece + 77777} {
		src := make([]byte, size)
		for i := range src {
			src[i] = byte('a' + rng.IntN(6))
		}
		comp, err := p.Compress(LZ4Hadoop, 0, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		var lens []int
		for rest := comp; len(rest) > 0; {
			lens = append(lens, int(binary.BigEndian.Uint32(rest)))
			rest = rest[8+binary.BigEndian.Uint32(rest[4:]):]
		}
		if first := size % HadoopPiece; first != 0 && lens[0] != first {
			t.Errorf("%d bytes: frames of %v", size, lens)
		}
		for i, n := range lens {
			if n > HadoopPiece || i > 0 && n != HadoopPiece {
				t.Errorf("%d bytes: frames of %v", size, lens)
			}
		}
		back, err := p.Decompress(LZ4Hadoop, nil, comp, size)
		if err != nil || !bytes.Equal(back, src) {
			t.Errorf("%d bytes come back as %d, %v", size, len(back), err)
		}
	}
}
