package parquet

import "fmt"

// physical is the type of a column's stored values.
type physical int32

const (
	pBoolean physical = 0
	pInt32   physical = 1
	pInt64   physical = 2
	pInt96   physical = 3
	pFloat   physical = 4
	pDouble  physical = 5
	pBytes   physical = 6
	pFixed   physical = 7
	pNone    physical = -1 // a group
)

func (p physical) String() string {
	names := [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}
	if p >= 0 && int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("type %d", int32(p))
}

type repetition int32

const (
	required repetition = 0
	optional repetition = 1
	repeated repetition = 2
)

// encoding is how a page stores values or levels.
type encoding int32

const (
	encPlain       encoding = 0
	encPlainDict   encoding = 2
	encRLE         encoding = 3
	encBitPacked   encoding = 4
	encDelta       encoding = 5
	encDeltaLength encoding = 6
	encDeltaBytes  encoding = 7
	encRLEDict     encoding = 8
	encStreamSplit encoding = 9
)

func (e encoding) String() string {
	switch e {
	case encPlain:
		return "PLAIN"
	case encPlainDict:
		return "PLAIN_DICTIONARY"
	case encRLE:
		return "RLE"
	case encBitPacked:
		return "BIT_PACKED"
	case encDelta:
		return "DELTA_BINARY_PACKED"
	case encDeltaLength:
		return "DELTA_LENGTH_BYTE_ARRAY"
	case encDeltaBytes:
		return "DELTA_BYTE_ARRAY"
	case encRLEDict:
		return "RLE_DICTIONARY"
	case encStreamSplit:
		return "BYTE_STREAM_SPLIT"
	}
	return fmt.Sprintf("encoding %d", int32(e))
}

// Converted types: the older form of annotations.
const (
	convNone            = -1
	convUTF8            = 0
	convMap             = 1
	convMapKeyValue     = 2
	convList            = 3
	convDecimal         = 5
	convDate            = 6
	convTimeMillis      = 7
	convTimeMicros      = 8
	convTimestampMillis = 9
	convTimestampMicros = 10
	convUint32          = 13
	convInt8            = 15
	convInt16           = 16
)

// Logical types, by their field id in the union.
const (
	logNone      = 0
	logString    = 1
	logMap       = 2
	logList      = 3
	logDecimal   = 5
	logDate      = 6
	logTime      = 7
	logTimestamp = 8
	logInteger   = 10
	logGeometry  = 17
	logGeography = 18
)

// Units of logical times.
const (
	unitMillis = 1
	unitMicros = 2
	unitNanos  = 3
)

type logical struct {
	kind      int16
	utc       bool
	unit      uint8
	bits      int8
	signed    bool
	scale     int32
	precision int32
	crs       string
	algorithm int32 // of edges, plus 1; 0: none
}

type schemaElement struct {
	name       string
	typ        physical
	length     int32 // of FIXED_LEN_BYTE_ARRAY
	repetition repetition
	children   int32
	converted  int32
	scale      int32
	precision  int32
	fieldID    int32
	hasFieldID bool
	logical    logical
}

type statistics struct {
	min, max         []byte // valid where hasMin and hasMax say so
	oldMin, oldMax   []byte // the deprecated fields, whose order is signed bytes
	nulls            int64  // -1: unknown
	hasMin, hasMax   bool
	hasOldMin, hasOM bool
}

type columnChunk struct {
	path              []string
	typ               physical
	codec             int32
	encodings         []encoding
	values            int64
	uncompressedBytes int64
	compressedBytes   int64
	dataOffset        int64
	dictOffset        int64 // 0: none
	stats             statistics
	offsetIndexAt     int64 // 0: none
	offsetIndexBytes  int32
	columnIndexAt     int64 // 0: none
	columnIndexBytes  int32
	filePath          string
}

type rowGroup struct {
	columns []columnChunk
	rows    int64
	bytes   int64 // uncompressed
}

type keyValue struct{ key, value string }

type fileMeta struct {
	version   int32
	schema    []schemaElement
	rows      int64
	groups    []rowGroup
	keyValues []keyValue
	createdBy string
	ordered   []bool // per leaf: statistics follow the type's own order
	encrypted bool
}

// pageKind is the type of a page.
type pageKind int32

const (
	pageData   pageKind = 0
	pageIndex  pageKind = 1
	pageDict   pageKind = 2
	pageDataV2 pageKind = 3
)

type pageHeader struct {
	kind         pageKind
	uncompressed int32
	compressed   int32
	crc          int32
	hasCRC       bool
	values       int32
	encoding     encoding
	defEncoding  encoding
	repEncoding  encoding
	// of version 2
	nulls, rows        int32
	defBytes, repBytes int32
	plain              bool // values are not compressed in spite of the codec
	hasDetail          bool
}

type pageLocation struct {
	offset   int64
	bytes    int32 // header included
	firstRow int64
}

type columnIndex struct {
	nullPages []bool
	min, max  [][]byte
	nulls     []int64 // nil: unknown
}
