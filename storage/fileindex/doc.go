// Package fileindex is the index of one data file: per column, what helps to tell
// that no row of the file has a value.
//
// Used by datafile (which makes one beside a data file) and scan (which asks it
// before opening the file); uses predicate, columnar and types; does no IO. The
// bytes are those of table format §8; see docs/format/file-index.md.
//
//	container   magic, version, length of the head
//	            per column: name; per index: type, place, length
//	            a checksum, in what other readers pass over
//	body        the indexes
//
// Rules:
//
//  1. An index may only say "no row": what it does not know keeps the file. Columns
//     and index types that are not understood say nothing.
//  2. An empty index says that the column holds no value, so that only IS NULL, <>
//     and NOT IN can match.
//  3. Bloom filters are written and read; the reference's other types (bitmap, bsi,
//     range-bitmap) are passed over.
package fileindex
