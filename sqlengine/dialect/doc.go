// Package dialect turns lakesql's SQL into what the host engine takes.
//
// It implements the host's sql.Parser. A text goes through these steps:
//
//  1. split: the first statement of the text, by our own lexer (lexer.go);
//  2. classify: a statement with no token of ours goes to the host's parser as
//     it is (scan.go: one look at each byte, no allocation);
//  3. statements that are ours (CREATE TABLE, CALL, SET 'key', …) are read by a
//     recursive-descent grammar into the structs of statement.go and wrapped as
//     the host's InjectedStatement; a Builder, given in Config, makes the node;
//  4. in all other statements the bits of ours (hints, time travel, t$files,
//     default.t, CAST AS BIGINT, …) are spliced away, with a map from positions
//     in the new text to the typed one (splice.go);
//  5. after the host has parsed, a pass over its tree (post.go) repairs what it
//     gets wrong and puts hints where the planner meets them.
//
// Errors name line and text of the statement that was typed, never of the
// rewritten one.
//
// Used by sqlengine, which supplies the Builder; uses hints and storage/types.
// A Parser is immutable and safe from any goroutine.
package dialect
