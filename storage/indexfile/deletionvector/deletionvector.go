package deletionvector

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
)

const (
	version    = 1
	magic32    = 1581511376
	magic64    = 1681511377
	frameBytes = 4 + 4 // length and CRC
)

// Positions are deleted rows of a data file, ascending, from 0.
type Positions []uint64

// Decode reads the vector that r names from the bytes of an index file.
func Decode(file []byte, r datafile.VectorRange) (Positions, error) {
	at := int(r.Offset)
	if len(file) < 1 || file[0] != version {
		return nil, corrupt.Errorf("", 0, "deletion vectors are not of version %d", version)
	}
	if at < 1 || at+4 > len(file) {
		return nil, corrupt.Errorf("", int64(at), "deletion vector of %s lies outside of the file", r.DataFile)
	}
	n := int(binary.BigEndian.Uint32(file[at:]))
	if n < 4 || n > len(file)-at-frameBytes {
		return nil, corrupt.Errorf("", int64(at), "deletion vector of %s has %d bytes", r.DataFile, n)
	}
	payload := file[at+4 : at+4+n]
	if got, want := crc32.ChecksumIEEE(payload), binary.BigEndian.Uint32(file[at+4+n:]); got != want {
		return nil, corrupt.Errorf("", int64(at), "deletion vector of %s has a bad crc: %08x, not %08x", r.DataFile, got, want)
	}
	length, p, err := decodePayload(payload)
	if err != nil {
		return nil, corrupt.Errorf("", int64(at), "deletion vector of %s: %w", r.DataFile, err)
	}
	if int(r.Length) != length {
		return nil, corrupt.Errorf("", int64(at), "deletion vector of %s has %d bytes, the index manifest says %d", r.DataFile, length, r.Length)
	}
	if r.Cardinality != datafile.Unknown && r.Cardinality != int64(len(p)) {
		return nil, corrupt.Errorf("", int64(at), "deletion vector of %s has %d rows, the index manifest says %d", r.DataFile, len(p), r.Cardinality)
	}
	return p, nil
}

// decodePayload returns the length that the index manifest records, and the rows.
func decodePayload(payload []byte) (recorded int, p Positions, err error) {
	switch {
	case binary.BigEndian.Uint32(payload) == magic32:
		low, _, err := decodeBitmap(payload[4:])
		for _, x := range low {
			p = append(p, uint64(x))
		}
		return len(payload), p, err
	case binary.LittleEndian.Uint32(payload) == magic64:
		p, err := decode64(payload[4:])
		return len(payload) + frameBytes, p, err
	}
	return 0, nil, corrupt.Errorf("", corrupt.NoOffset, "bad magic %x", payload[:4])
}

func decode64(b []byte) (p Positions, err error) {
	if len(b) < 8 {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "bitmap is cut")
	}
	n := binary.LittleEndian.Uint64(b)
	b = b[8:]
	if n > uint64(len(b)/8) {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "%d bitmaps in %d bytes", n, len(b))
	}
	last := int64(-1)
	for range n {
		if len(b) < 4 {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "bitmap is cut")
		}
		key := binary.LittleEndian.Uint32(b)
		if int64(key) <= last {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "bitmaps are not in order")
		}
		last = int64(key)
		low, used, err := decodeBitmap(b[4:])
		if err != nil {
			return nil, err
		}
		for _, x := range low {
			p = append(p, uint64(key)<<32|uint64(x))
		}
		b = b[4+used:]
	}
	return p, nil
}

// decodeBitmap reads a portable Roaring bitmap and says how long it was.
func decodeBitmap(b []byte) (rows []uint32, used int, err error) {
	m := roaring.New()
	r := bytes.NewReader(b)
	n, err := m.ReadFrom(r)
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, 0, corrupt.Errorf("", corrupt.NoOffset, "bitmap: %w", err)
	}
	return m.ToArray(), int(n), nil
}

// Is reports whether an index file, of which head are the first nine bytes or all
// of them, holds deletion vectors.
func Is(head []byte) bool {
	if len(head) == 0 || head[0] != version {
		return false
	}
	return len(head) == 1 || len(head) >= 9 &&
		(binary.BigEndian.Uint32(head[5:]) == magic32 || binary.LittleEndian.Uint32(head[5:]) == magic64)
}

// Found is a vector of an index file that was walked without its manifest.
type Found struct {
	Offset    int // of its length
	SizeBytes int // of its payload
	Rows      Positions
	Err       error // why it cannot be read
}

// Walk returns the vectors of an index file, in order. It ends with an error at
// bytes that are no vector; a vector that is damaged inside does not end it.
func Walk(file []byte) ([]Found, error) {
	if !Is(file[:min(9, len(file))]) {
		return nil, corrupt.Errorf("", 0, "no deletion vectors of version %d", version)
	}
	var out []Found
	for at := 1; at < len(file); {
		if len(file)-at < frameBytes+4 {
			return out, corrupt.Errorf("", int64(at), "%d bytes after the last vector", len(file)-at)
		}
		n := int(binary.BigEndian.Uint32(file[at:]))
		if n < 4 || n > len(file)-at-frameBytes {
			return out, corrupt.Errorf("", int64(at), "a vector of %d bytes", n)
		}
		f := Found{Offset: at, SizeBytes: n}
		r := datafile.VectorRange{Offset: int32(at), Length: int32(n), Cardinality: datafile.Unknown}
		if binary.LittleEndian.Uint32(file[at+4:]) == magic64 {
			r.Length += frameBytes
		}
		f.Rows, f.Err = Decode(file, r)
		out = append(out, f)
		at += frameBytes + n
	}
	return out, nil
}
