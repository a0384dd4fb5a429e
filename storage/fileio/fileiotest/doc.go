// Package fileiotest is the suite that every file store runs.
//
// Used by the tests of fileio/local, fileio/mem, fileio/fault and of drivers to
// come; it checks the promises written down in package fileio.
package fileiotest
