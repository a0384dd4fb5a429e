// Package indexfile says where the index files of a table lie and reads and
// writes them whole. What they hold is in the packages below: bucketindex (hashes
// of the keys of a dynamic bucket).
//
// Used by write (hash indexes), expire and maintain (paths); uses datafile and
// fileio. Index files are immutable, and listed in the index manifest.
package indexfile
