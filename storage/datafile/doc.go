// Package datafile is one file of rows: its metadata, its name and place, its
// reader and its rolling writer; and the increment, what the writers of a bucket
// hand to the commit.
//
// Used by lsm, scan, write (which make and read files), by manifest (which
// stores the metadata) and by commit (which publishes increments). lsm and
// snapshot meet only in the types of this package.
package datafile
