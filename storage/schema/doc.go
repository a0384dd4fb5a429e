// Package schema keeps a table's columns, keys and options, and how they change.
//
// Used by storage and by everything below it that must know columns: snapshot
// and commit (schema ids), datafile and scan (reading files of older schemas),
// write (defaults), the SQL layer (DDL, literals). It uses types, options,
// columnar, stats and fileio.
//
// Bytes: schema/schema-<id> under the table's directory, JSON, ids from 0 (see
// docs/format/schema.md). A schema file is written once, by create-if-absent,
// and never changed; the current schema is the one with the highest id.
//
// Parts: Schema and its derived lists (schema.go), bytes (json.go), making one
// from a definition (definition.go, validate.go), changing one (change.go,
// apply.go), the directory of schema files (manager.go), reading rows of an
// older schema (evolve.go, cast*.go), values and their texts (format.go,
// parse.go).
//
// Rules:
//
//  1. A Schema is immutable once made; whoever changes one makes a new one.
//  2. Columns are known by field id, which is never used again; names are for
//     people and for finding columns inside data files.
//  3. Texts of values are Paimon's, with TIMESTAMP_LTZ in UTC.
package schema
