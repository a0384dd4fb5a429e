// Package options declares the options of a table and turns their texts into values.
//
// Used by schema (checks at create and alter), scan, write, commit and expire
// (typed values), and the SQL layer (hints, errors, the options page). It uses
// nothing of ours.
//
// Each option is declared once, in the declare_*.go file of its subject, with
// its type, default and tier. docs/options.md is generated from there.
//
// Rules:
//
//  1. Check speaks about what a statement gives: an unknown key is refused with
//     the nearest known one, an option of a feature that is not supported is
//     refused by name unless its value changes nothing, an option that has no
//     effect here is accepted with a warning, a bad value is refused.
//  2. Parse reads what a table stores: unknown keys are passed over, so that
//     tables of other engines open. Only a bad value of an option that is read
//     is an error. Unsupported then tells which features stand in the way.
//  3. Keys are case-sensitive, enum and boolean values are not. A key that is
//     absent is looked for under its older names (Fallbacks).
//  4. Everything here is immutable and safe to share.
package options

//go:generate go run ../../internal/gen/options -o ../../docs/options.md
