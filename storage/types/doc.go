// Package types holds Paimon's column types, fields and row kinds.
//
// Used by every package that looks at a column; uses nothing of ours. A Type is
// a value: compare with Equal, copy freely, never change one that is shared.
// The text and JSON forms are those of Paimon's schema files (docs/format).
package types
