// Package avroschema reads the schema that every Avro container carries, as its readers
// need it: a tree of types, each with the least bytes that a value takes, so that no
// count in a file is believed before it is checked.
//
// Used by format/avro (data files) and snapshot/manifest; uses nothing of ours.
//
// Rules: (1) A schema that nests deeper than 100 types, or whose types hold themselves,
// is refused: readers recurse over it. (2) A Type is not changed once parsed, but for
// the tags of its fields, which belong to the one reader that parsed it.
package avroschema
