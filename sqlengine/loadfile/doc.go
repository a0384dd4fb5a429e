// Package loadfile cuts the files of LOAD DATA into lines and fields, by MySQL's
// rules.
//
// Used by bridge, which turns fields into column values; knows no table and no
// host. A file is read once, front to back, through one buffer: memory does not
// grow with the file, only with its longest field.
//
//	reader    the buffer, lines, and what ends where
//	field     one field: quotes and escapes
//	charset   which bytes are characters
//
// Rules: (1) the answer does not depend on where the source's reads end; (2) no
// input makes it panic; (3) a field's bytes are valid until the next call.
package loadfile
