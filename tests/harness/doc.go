// Package harness is what the tests of the whole store share: rows as values, one
// call to write and one to read a table, and the offline check.
//
// Used by tests/metamorphic, faults, damage and crash; uses storage.
package harness
