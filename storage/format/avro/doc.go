// Package avro reads and writes data files in Avro's object container format.
//
// Used by storage, which hands its Format to datafile; uses columnar, format,
// format/codec and format/avroschema. Schemas and records are handled here rather than by a library:
// a file's schema is compiled once into a flat program that moves the bytes of a
// record straight into vectors, and back.
//
// A file (numbers are Avro's zig-zag varints):
//
//	"Obj" 01
//	metadata   map of string to bytes: avro.schema (JSON), avro.codec
//	sync       16 bytes
//	block ...  records, size in bytes, the records (compressed), sync
//
// Rules:
//
//  1. What is read follows the schema in the file. Columns and members of a ROW
//     are found by name; one that the file lacks is null.
//  2. Types are written as Paimon does: a nullable type is the union of null and
//     the type; TIMESTAMP is timestamp-millis or -micros and the zoned one
//     local-timestamp-millis or -micros (the names are swapped against Avro's
//     meaning); a MAP whose keys are text is a map, any other an array of records
//     of key and value; MULTISET is a MAP to INT; VARIANT is a record of value and
//     metadata.
//  3. TIMESTAMP beyond microseconds and TIME beyond milliseconds are refused for
//     writing, as the reference does.
//  4. A reader checks sync markers, sizes, counts and that a block ends with its
//     last record; whatever does not fit is a corruption error with the offset of
//     the block. A file cut behind a block looks whole: the caller compares the
//     number of rows with the manifest's.
//  5. Readers and writers are for one goroutine each; the Format is for many.
package avro
