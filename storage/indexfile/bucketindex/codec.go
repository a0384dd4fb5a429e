package bucketindex

import (
	"encoding/binary"

	"github.com/lakesql/lakesql/internal/corrupt"
)

const hashBytes = 4

// SizeBytes is the size of a file with n hashes.
func SizeBytes(n int64) int64 { return hashBytes * n }

// Encode returns the content of a hash index file.
func Encode(hashes []uint32) []byte {
	data := make([]byte, 0, hashBytes*len(hashes))
	for _, h := range hashes {
		data = binary.BigEndian.AppendUint32(data, h)
	}
	return data
}

// Decode reads the content of a hash index file.
func Decode(data []byte) ([]uint32, error) {
	if len(data)%hashBytes != 0 {
		return nil, corrupt.Errorf("", int64(len(data)), "hash index of %d bytes ends inside a hash", len(data))
	}
	hashes := make([]uint32, len(data)/hashBytes)
	for i := range hashes {
		hashes[i] = binary.BigEndian.Uint32(data[hashBytes*i:])
	}
	return hashes, nil
}
