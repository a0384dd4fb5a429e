// Package formattest is the suite that every file format runs: what is written
// comes back, whole or projected, and damaged files give errors.
//
// Used by the tests of the formats; uses format, columnar and testkit.
package formattest
