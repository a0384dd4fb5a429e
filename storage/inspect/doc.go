// Package inspect prints one file of a table for people: a snapshot, tag, schema
// or other JSON file, a pointer file, a manifest, manifest list or index manifest,
// an index file, or a data file with its first rows.
//
// Used by storage (Inspect), for lakesql inspect; uses the readers of the packages
// below. It looks at the bytes first and at the name where bytes do not tell. When
// the file lies in a table's directory, the table's schemas say how keys, partitions,
// bounds and rows are shown; otherwise serialised rows are shown in hexadecimal.
//
// Rules: it changes nothing; output is for people and may change in any release.
package inspect
