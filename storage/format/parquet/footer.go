package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format/codec"
)

const (
	magic          = "PAR1"
	encryptedMagic = "PARE"
	// createdBy opens the name of the writer of our own files.
	createdBy      = "lakesql"
	createdVersion = " version 1.0.0"
	// crcKey is the entry of the footer that our own files have: in hexadecimal, the
	// CRC-32 of the footer with this value as zeros, then that of the page indexes.
	crcKey   = "lakesql.crc32"
	crcChars = 16
	// tailBytes is how much of a file's end is read at first.
	tailBytes = 64 << 10
)

// footer is what a file says about itself, checked against its size.
type footer struct {
	meta   *fileMeta
	root   *node
	leaves []*node
	own    bool  // written by us: its checksums must be there
	start  int64 // where the footer begins, and chunks must end
	// page indexes of our own files
	indexCRC   uint32
	indexStart int64
	tail       []byte // the file's bytes from tailAt on
	tailAt     int64
}

// readAt fills b from a file; less is damage, since the size is known.
func readAt(f fileio.File, path string, b []byte, at int64) error {
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return corrupt.Errorf(path, at, "%d bytes are missing", len(b)-n)
	}
	return fmt.Errorf("read %s at %d: %w", path, at, err)
}

// readFooter reads and checks the footer of a file. Decoding and checking are left
// out when the cache, which may be nil, has one of the same bytes for the path.
func readFooter(f fileio.File, path string, cache *footerCache) (*footer, error) {
	size := f.SizeBytes()
	if size < int64(2*len(magic)+4) {
		return nil, corrupt.Errorf(path, 0, "a parquet file of %d bytes", size)
	}
	ft := &footer{tailAt: max(0, size-tailBytes)}
	ft.tail = make([]byte, size-ft.tailAt, size-ft.tailAt+slack)
	if err := readAt(f, path, ft.tail, ft.tailAt); err != nil {
		return nil, err
	}
	end := len(ft.tail)
	switch m := string(ft.tail[end-4:]); m {
	case magic:
	case encryptedMagic:
		return nil, fmt.Errorf("open %s: encrypted parquet files are not supported", path)
	default:
		return nil, corrupt.Errorf(path, size-4, "footer magic is %q", m)
	}
	n := int64(binary.LittleEndian.Uint32(ft.tail[end-8:]))
	if n == 0 || n > size-int64(2*len(magic)+4) {
		return nil, corrupt.Errorf(path, size-8, "footer of %d bytes in a file of %d", n, size)
	}
	ft.start = size - 8 - n
	if ft.start < ft.tailAt {
		more := make([]byte, size-ft.start, size-ft.start+slack)
		copy(more[ft.tailAt-ft.start:], ft.tail)
		if err := readAt(f, path, more[:ft.tailAt-ft.start], ft.start); err != nil {
			return nil, err
		}
		ft.tail, ft.tailAt = more, ft.start
	}
	raw := ft.tail[ft.start-ft.tailAt : len(ft.tail)-8]
	if known := cache.find(path, size, raw); known != nil {
		own := *known
		own.tail, own.tailAt = ft.tail, ft.tailAt
		ft = &own
	} else {
		raw = bytes.Clone(raw) // what is decoded refers to it
		if err := ft.decode(path, raw); err != nil {
			return nil, err
		}
		cache.keep(path, size, raw, ft)
	}
	if ft.own {
		var head [len(magic)]byte
		if err := readAt(f, path, head[:], 0); err != nil {
			return nil, err
		}
		if string(head[:]) != magic {
			return nil, corrupt.Errorf(path, 0, "magic is %q", head)
		}
	}
	return ft, nil
}

// decode sets what raw, the bytes of the footer, says.
func (ft *footer) decode(path string, raw []byte) (err error) {
	if ft.meta, err = decodeFileMeta(raw); err != nil {
		return corrupt.Errorf(path, ft.start, "footer: %w", err)
	}
	if ft.meta.encrypted {
		return fmt.Errorf("open %s: encrypted parquet files are not supported", path)
	}
	if err := ft.check(raw); err != nil {
		return corrupt.Wrap(path, err)
	}
	return nil
}

// check compares the parts of a footer with each other and with the file.
func (ft *footer) check(raw []byte) (err error) {
	m := ft.meta
	if ft.root, ft.leaves, err = buildTree(m.schema); err != nil {
		return err
	}
	if err := ft.checkCRC(raw); err != nil {
		return err
	}
	ft.indexStart = int64(len(magic))
	var rows int64
	for g := range m.groups {
		group := &m.groups[g]
		if group.rows < 0 || group.rows > m.rows-rows {
			return badf("row group %d has %d rows of %d", g, group.rows, m.rows)
		}
		rows += group.rows
		if len(group.columns) != len(ft.leaves) {
			return badf("row group %d has %d columns, the schema %d", g, len(group.columns), len(ft.leaves))
		}
		for i := range group.columns {
			if err := ft.checkChunk(&group.columns[i], ft.leaves[i], group.rows); err != nil {
				return fmt.Errorf("row group %d, column %s: %w", g, strings.Join(ft.leaves[i].path, "."), err)
			}
		}
	}
	if rows != m.rows {
		return badf("row groups have %d rows, the file %d", rows, m.rows)
	}
	return nil
}

func (ft *footer) checkChunk(c *columnChunk, leaf *node, rows int64) error {
	if c.filePath != "" {
		return badf("the chunk is in another file %q", c.filePath)
	}
	if c.typ != leaf.typ {
		return badf("the chunk has type %v, the schema %v", c.typ, leaf.typ)
	}
	if c.values < 0 || leaf.maxRep == 0 && c.values != rows || leaf.maxRep > 0 && c.values < rows {
		return badf("the chunk has %d values in %d rows", c.values, rows)
	}
	start, end := c.span()
	if start < int64(len(magic)) || c.compressedBytes < 0 || end < start || end > ft.start {
		return badf("the chunk lies at %d to %d, the footer at %d", start, end, ft.start)
	}
	if c.dataOffset < start || c.dataOffset > end {
		return badf("data pages at %d, the chunk at %d to %d", c.dataOffset, start, end)
	}
	ft.indexStart = max(ft.indexStart, end)
	for _, at := range [][2]int64{{c.offsetIndexAt, int64(c.offsetIndexBytes)}, {c.columnIndexAt, int64(c.columnIndexBytes)}} {
		if at[0] < 0 || at[1] < 0 || at[0] > ft.start || at[1] > ft.start-at[0] {
			return badf("a page index of %d bytes at %d, the footer at %d", at[1], at[0], ft.start)
		}
	}
	return nil
}

// span is where a chunk's pages lie in the file.
func (c *columnChunk) span() (start, end int64) {
	start = c.dataOffset
	if c.dictOffset > 0 && c.dictOffset < start {
		start = c.dictOffset
	}
	return start, start + c.compressedBytes
}

// checkCRC verifies the checksum that our own footers carry.
func (ft *footer) checkCRC(raw []byte) error {
	// One changed byte may hide the entry or the writer's name, not both.
	ft.own = strings.HasPrefix(ft.meta.createdBy, createdBy) || bytes.Contains(raw, []byte(crcKey))
	var value string
	for _, kv := range ft.meta.keyValues {
		if kv.key == crcKey {
			value = kv.value
		}
	}
	if value == "" {
		if ft.own {
			return badf("footer has no checksum")
		}
		return nil
	}
	want, err := hex.DecodeString(value)
	at := strings.LastIndex(string(raw), crcKey+"\x18\x10"+value)
	if err != nil || len(value) != crcChars || at < 0 {
		return badf("footer checksum %q", value)
	}
	at += len(crcKey) + 2
	if got := footerCRC(raw, at); got != binary.BigEndian.Uint32(want) {
		return badf("footer checksum is %08x, want %s", got, value[:8])
	}
	ft.own = true
	ft.indexCRC = binary.BigEndian.Uint32(want[4:])
	return nil
}

// footerCRC is the checksum of a footer whose checksum value stands at at.
func footerCRC(raw []byte, at int) uint32 {
	sum := crc32.ChecksumIEEE(raw[:at])
	sum = crc32.Update(sum, crc32.IEEETable, []byte(strings.Repeat("0", crcChars)))
	return crc32.Update(sum, crc32.IEEETable, raw[at+crcChars:])
}

// codecOf maps Parquet's codec numbers.
func codecOf(number int32) (codec.Codec, error) {
	switch number {
	case 0:
		return codec.None, nil
	case 1:
		return codec.Snappy, nil
	case 2:
		return codec.Gzip, nil
	case 3:
		return 0, errors.New("compression lzo is not supported")
	case 4:
		return codec.Brotli, nil
	case 5:
		return codec.LZ4Hadoop, nil
	case 6:
		return codec.Zstd, nil
	case 7:
		return codec.LZ4Raw, nil
	}
	return 0, badf("compression codec %d", number)
}

func codecNumber(c codec.Codec) int32 {
	switch c {
	case codec.Snappy:
		return 1
	case codec.Gzip:
		return 2
	case codec.Brotli:
		return 4
	case codec.LZ4Hadoop:
		return 5
	case codec.Zstd:
		return 6
	case codec.LZ4Raw:
		return 7
	}
	return 0
}
