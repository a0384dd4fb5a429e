package inspect

import (
	"context"
	"encoding/binary"
	"hash/crc32"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/indexfile/bucketindex"
)

const (
	vectorMagic   = 1581511376 // 32 bit, big-endian
	vectorMagic64 = 1681511377 // 64 bit, little-endian
	// fileIndexMagic opens a file index: int64 1493475289347502, big-endian.
	fileIndexMagic = "\x00\x05\x4e\x4e\xd0\x1a\x35\xae"
)

// indexFile prints deletion vectors or a hash index. They are told apart by the
// magic number behind the version and length of a deletion vector file.
func (p *printer) indexFile(ctx context.Context, head []byte) error {
	if len(head) >= 9 && head[0] == 1 && vectorKind(head[5:]) != 0 || len(head) == 1 && head[0] == 1 {
		return p.vectors(ctx)
	}
	data, err := p.whole(ctx)
	if err != nil {
		return err
	}
	hashes, err := bucketindex.Decode(data)
	if err != nil {
		return corrupt.Wrap(p.path, err)
	}
	p.linef("hash index of %d keys", len(hashes))
	for i, h := range hashes {
		if i == p.Rows {
			p.linef("  …")
			break
		}
		p.linef("  %d", int32(h))
	}
	return nil
}

// vectorKind is the width of the positions of a deletion vector, 0 for no vector.
func vectorKind(payload []byte) int {
	switch {
	case len(payload) < 4:
		return 0
	case binary.BigEndian.Uint32(payload) == vectorMagic:
		return 32
	case binary.LittleEndian.Uint32(payload) == vectorMagic64:
		return 64
	}
	return 0
}

func (p *printer) vectors(ctx context.Context) error {
	data, err := p.whole(ctx)
	if err != nil {
		return err
	}
	p.linef("deletion vectors, version %d", data[0])
	for at := 1; at < len(data); {
		if len(data)-at < 8 {
			return corrupt.Errorf(p.path, int64(at), "%d bytes after the last vector", len(data)-at)
		}
		n := int64(binary.BigEndian.Uint32(data[at:]))
		if n < 4 || n > int64(len(data)-at-8) {
			return corrupt.Errorf(p.path, int64(at), "a vector of %d bytes", n)
		}
		payload := data[at+4 : at+4+int(n)]
		sum := "good"
		if crc32.ChecksumIEEE(payload) != binary.BigEndian.Uint32(data[at+4+int(n):]) {
			sum = "wrong"
		}
		p.linef("  at %d: %d bytes, %d bit, checksum %s", at, n, vectorKind(payload), sum)
		at += 8 + int(n)
	}
	return nil
}

// fileIndex prints the head of a file index: columns and the kinds of their indexes.
func (p *printer) fileIndex(ctx context.Context) error {
	data, err := p.whole(ctx)
	if err != nil {
		return err
	}
	r := &heads{data: data, at: 8}
	version, head, columns := r.number(), r.number(), r.number()
	p.linef("file index, version %d, head of %d bytes", version, head)
	for range columns {
		name, n := r.text(), r.number()
		for range n {
			kind, start, length := r.text(), r.number(), r.number()
			if r.bad {
				break
			}
			p.linef("  column %s: %s at %d, %d bytes", name, kind, start, length)
		}
		if r.bad {
			return corrupt.Errorf(p.path, int64(r.at), "the head of the index is cut off")
		}
	}
	return nil
}

// heads reads big-endian numbers and texts; bad is set when there are none left.
type heads struct {
	data []byte
	at   int
	bad  bool
}

func (h *heads) take(n int) []byte {
	if h.bad || n < 0 || n > len(h.data)-h.at {
		h.bad = true
		return make([]byte, max(0, min(n, 4)))
	}
	b := h.data[h.at : h.at+n]
	h.at += n
	return b
}

func (h *heads) number() int32 { return int32(binary.BigEndian.Uint32(h.take(4))) }

func (h *heads) text() string { return string(h.take(int(binary.BigEndian.Uint16(h.take(2))))) }
