package fileindex

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
)

const (
	magic      = 1493475289347502
	version    = 1
	emptyIndex = -1 // place of an index without body
	fixedHead  = 8 + 4 + 4 + 4

	// sumTag begins the redundant bytes of our containers, which other readers pass
	// over; a checksum of sumBytes follows.
	sumTag   = "LSQL"
	sumBytes = 4
)

// Index is one index of a column, its bytes not decoded. A nil Body is an empty
// index.
type Index struct {
	Type string
	Body []byte
}

// Container is the indexes of a data file by column.
type Container map[string][]Index

// Encode returns the bytes of a container, columns in the order of their names. They
// have a checksum, which holds the name of the data file as well; none for no name.
func (c Container) Encode(dataFile string) []byte {
	names := slices.Sorted(maps.Keys(c))
	head := fixedHead + 4
	if dataFile != "" {
		head += len(sumTag) + sumBytes
	}
	for _, n := range names {
		head += 2 + len(n) + 4
		for _, x := range c[n] {
			head += 2 + len(x.Type) + 8
		}
	}
	be := binary.BigEndian
	b := be.AppendUint64(nil, magic)
	b = be.AppendUint32(b, version)
	b = be.AppendUint32(b, uint32(head))
	b = be.AppendUint32(b, uint32(len(names)))
	text := func(s string) { b = append(be.AppendUint16(b, uint16(len(s))), s...) }
	at := head
	for _, n := range names {
		text(n)
		b = be.AppendUint32(b, uint32(len(c[n])))
		for _, x := range c[n] {
			text(x.Type)
			if x.Body == nil {
				b = be.AppendUint32(b, ^uint32(0))
				b = be.AppendUint32(b, 0)
				continue
			}
			b = be.AppendUint32(b, uint32(at))
			b = be.AppendUint32(b, uint32(len(x.Body)))
			at += len(x.Body)
		}
	}
	if dataFile == "" {
		b = be.AppendUint32(b, 0) // nothing redundant
	} else {
		b = append(be.AppendUint32(b, uint32(len(sumTag)+sumBytes)), sumTag...)
		b = be.AppendUint32(b, 0)
	}
	for _, n := range names {
		for _, x := range c[n] {
			b = append(b, x.Body...)
		}
	}
	if dataFile != "" {
		be.PutUint32(b[head-sumBytes:], checksum(b, head-sumBytes, dataFile))
	}
	return b
}

// checksum is that of a container whose checksum lies at a place.
func checksum(data []byte, at int, dataFile string) uint32 {
	sum := crc32.ChecksumIEEE([]byte(dataFile))
	sum = crc32.Update(sum, crc32.IEEETable, data[:at])
	return crc32.Update(sum, crc32.IEEETable, data[at+sumBytes:])
}

// Decode reads the bytes of the container of a data file, which the bodies alias. The
// checksum is looked at where there is one, and the name is known. A container that has
// something else where ours have the checksum says nothing.
func Decode(data []byte, dataFile string) (Container, error) {
	d := decoder{data: data}
	if m := d.number(8); d.err == nil && m != magic {
		return nil, corrupt.Errorf("", 0, "file index begins with %x", m)
	}
	if v := d.number(4); d.err == nil && v != version {
		return nil, corrupt.Errorf("", 8, "file index of version %d", v)
	}
	head := d.number(4)
	c := Container{}
	for n := d.count(6); n > 0 && d.err == nil; n-- {
		name := d.text()
		var list []Index
		for k := d.count(10); k > 0 && d.err == nil; k-- {
			x := Index{Type: d.text()}
			start, length := int32(d.number(4)), int32(d.number(4))
			if start != emptyIndex && d.err == nil {
				if start < 0 || length < 0 || int(start)+int(length) > len(data) {
					return nil, corrupt.Errorf("", int64(d.at), "index of column %s lies outside of the file", name)
				}
				x.Body = data[start : start+length : start+length]
			}
			list = append(list, x)
		}
		c[name] = list
	}
	redundant := d.take(d.count(1))
	if d.err == nil && head != uint64(d.at) {
		return nil, corrupt.Errorf("", 12, "the head of a file index has %d bytes, not %d", d.at, head)
	}
	switch {
	case d.err != nil || len(redundant) == 0:
	case len(redundant) != len(sumTag)+sumBytes || string(redundant[:len(sumTag)]) != sumTag:
		return Container{}, nil // what a later version says there may change the meaning
	case dataFile != "":
		at := d.at - sumBytes
		if checksum(data, at, dataFile) != binary.BigEndian.Uint32(data[at:]) {
			return nil, corrupt.Errorf("", int64(at), "checksum of a file index differs, or it is that of another data file than %s", dataFile)
		}
	}
	return c, d.err
}

type decoder struct {
	data []byte
	at   int
	err  error
}

func (d *decoder) take(n int) []byte {
	if d.err == nil && (n < 0 || n > len(d.data)-d.at) {
		d.err = corrupt.Errorf("", int64(d.at), "file index is cut")
	}
	if d.err != nil {
		return make([]byte, min(max(n, 0), 8))
	}
	d.at += n
	return d.data[d.at-n : d.at]
}

func (d *decoder) number(size int) uint64 {
	var n uint64
	for _, b := range d.take(size) {
		n = n<<8 | uint64(b)
	}
	return n
}

func (d *decoder) text() string { return string(d.take(int(d.number(2)))) }

// count reads a number of items that take at least minBytes each.
func (d *decoder) count(minBytes int) int {
	n := int(int32(d.number(4)))
	if d.err == nil && (n < 0 || n > (len(d.data)-d.at)/minBytes) {
		d.err = corrupt.Errorf("", int64(d.at), "file index counts %d items", n)
		return 0
	}
	return n
}
