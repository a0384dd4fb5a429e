// Package interop proves that tables are the real format: tables that other
// engines wrote are read with the rows they must have, and what lakesql writes
// other engines read.
//
// The tables of other engines come packed in testdata/fixtures.tar.zst (fixture
// tests need the clone alone). The tests that run the other engines themselves
// are in files engines_*_test.go; they want LAKESQL_INTEROP=1, which tests/interop/run
// sets after it has built the tools of tools/. canonical has the text form of rows
// in which all are compared.
package interop
