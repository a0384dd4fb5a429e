// Package fileio is the file layer: object-store-shaped files under slash paths.
//
// Used by everything that touches a file; uses only the corruption error. The
// drivers sit beside it: local, mem and fault (which wraps another store and
// fails chosen operations). A driver is chosen by cmd/lakesql or a test and
// handed in; fileiotest holds the suite that every driver runs.
//
// Paths are absolute and slash-separated, as the store names them; Join joins
// them. A directory exists while something is in it: there is no mkdir, and
// listing one that does not exist gives an empty list.
//
// Concurrency: a Store is safe for many goroutines; a File for many readers; a
// Writer for one.
package fileio
