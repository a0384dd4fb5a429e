// Package format is the seam between batches of rows and the bytes of a data file.
//
// Used by datafile; uses columnar, stats, predicate, fileio. The formats sit
// beside it (parquet, avro) and are handed in as values: a Format by file
// extension. formattest holds the suite that every format runs.
package format
