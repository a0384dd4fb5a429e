// Package corrupt is the error for bytes that break a rule of the format.
//
// Used by every decoder of the storage packages; uses nothing. A corruption
// error names the file, the offset inside it when one is known, and what is
// wrong. Callers tell it apart with errors.Is(err, corrupt.Err).
package corrupt
