// Package arrowrecord is the border between batches and Arrow: a batch as a record
// for libraries that want one, and back.
//
// Used by programs that embed tables, and by tests that hold our files against
// another library's; uses columnar and types. The server does not link it.
//
// Rules: nothing here keeps state; Wrap copies only what Arrow holds in another form,
// so its record is valid as long as the batch. Copy keeps nothing of the record.
package arrowrecord
