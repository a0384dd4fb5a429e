// Package testkit makes and compares rows for tests: random batches of any
// column types, variants from JSON, and a comparison that tells the first difference.
//
// Used by tests and by conformance suites only; uses columnar and types. It
// draws all randomness from the generator it is handed, so that a seed repeats
// a failure.
package testkit
