// Package parquet reads and writes Parquet data files as Paimon lays them out.
//
// Used by datafile through format.Format; uses format, format/codec, columnar,
// fileio and corrupt, and parquet-go's bit packing and delta encoder. It has its
// own Thrift, page and level codecs, so that every length in a file is checked
// before it is believed and no page costs an allocation.
//
// Rules:
//
//  1. Files are read by column name. A top-level column that is missing is null; so
//     is a missing member of a ROW.
//  2. We write: integers, dates, times, decimals of at most 18 digits and timestamps
//     as DELTA_BINARY_PACKED, or as RLE_DICTIONARY when few values occur; text as
//     RLE_DICTIONARY or PLAIN; everything else PLAIN. Never the two string deltas and
//     BYTE_STREAM_SPLIT, which Java reads wrongly or not at all. All encodings are read.
//  3. The codec is a property of a column chunk: a probe on its first pages chooses
//     between the table's codec, literals-only zstd and none.
//  4. All columns' pages are cut at the same rows, 4096 in a page unless rows are
//     large; a batch is such a page, with no copy where the bytes allow.
//  5. Every page has a CRC-32. The footer's entry lakesql.crc32 covers footer and page
//     indexes, so that any changed byte of our files is noticed.
//  6. A batch's vectors are valid until the next call of Next. A dictionary is a new
//     vector for each column chunk and stays valid and unchanged.
//  7. The machine is little-endian, as files are: numbers are viewed as they lie in
//     a page.
//  8. A Format with its free lists and its cache of footers is safe from many
//     goroutines; a reader and a writer are for one.
package parquet
