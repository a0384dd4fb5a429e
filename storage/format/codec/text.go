package codec

import (
	"encoding/binary"

	"github.com/klauspost/compress/huff0"
)

// textBlock is the most bytes in a block of a zstd frame.
const textBlock = 128 << 10

type textScratch struct{ huff huff0.Scratch }

// CompressText appends src as a zstd frame that holds Huffman-coded literals and
// no matches: for text without repeats it is two to three times as fast as Zstd at
// slightly more bytes. Any zstd decoder reads it.
func (p *Pool) CompressText(dst, src []byte) []byte {
	s := p.text.Get().(*textScratch)
	defer p.text.Put(s)
	dst = appendFrameHeader(dst, len(src))
	if len(src) == 0 {
		return appendBlockHeader(dst, 0, 0, true)
	}
	for len(src) > 0 {
		block := src[:min(len(src), textBlock)]
		src = src[len(block):]
		dst = s.appendBlock(dst, block, len(src) == 0)
	}
	return dst
}

// appendFrameHeader writes magic and descriptor of a frame of n bytes: a single
// segment with its content size, without checksum and dictionary.
func appendFrameHeader(dst []byte, n int) []byte {
	dst = append(dst, 0x28, 0xb5, 0x2f, 0xfd)
	switch {
	case n < 256:
		return append(dst, 0x20, byte(n))
	case n < 256+1<<16:
		return binary.LittleEndian.AppendUint16(append(dst, 0x60), uint16(n-256))
	}
	return binary.LittleEndian.AppendUint32(append(dst, 0xa0), uint32(n))
}

const (
	rawBlock        = 0
	rleBlock        = 1
	compressedBlock = 2
)

func appendBlockHeader(dst []byte, kind, size int, last bool) []byte {
	h := uint32(size)<<3 | uint32(kind)<<1
	if last {
		h |= 1
	}
	return append(dst, byte(h), byte(h>>8), byte(h>>16))
}

func (s *textScratch) appendBlock(dst, block []byte, last bool) []byte {
	s.huff.Reuse = huff0.ReusePolicyNone
	if len(block) >= 256 {
		out, _, err := huff0.Compress4X(block, &s.huff)
		switch {
		case err == huff0.ErrUseRLE:
			return append(appendBlockHeader(dst, rleBlock, len(block), last), block[0])
		case err == nil && len(out)+8 < len(block):
			return appendLiterals(dst, out, len(block), last)
		}
	}
	return append(appendBlockHeader(dst, rawBlock, len(block), last), block...)
}

// appendLiterals writes a compressed block: the literals section header for four
// streams, the tree and streams, and a sequence count of zero.
func appendLiterals(dst, out []byte, raw int, last bool) []byte {
	var h uint64
	var n int
	switch {
	case raw < 1<<10 && len(out) < 1<<10:
		h, n = 2|1<<2|uint64(raw)<<4|uint64(len(out))<<14, 3
	case raw < 1<<14 && len(out) < 1<<14:
		h, n = 2|2<<2|uint64(raw)<<4|uint64(len(out))<<18, 4
	default:
		h, n = 2|3<<2|uint64(raw)<<4|uint64(len(out))<<22, 5
	}
	dst = appendBlockHeader(dst, compressedBlock, n+len(out)+1, last)
	for range n {
		dst = append(dst, byte(h))
		h >>= 8
	}
	dst = append(dst, out...)
	return append(dst, 0)
}
