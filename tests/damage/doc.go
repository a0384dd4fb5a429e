// Package damage changes the files of good tables in every way and reads them.
//
// A file is cut, zeroed in part, has a bit or a byte changed at random or where
// lengths, counts, offsets and magic numbers are, is swapped with another, emptied
// or removed; and one member of a JSON file or of a record in an Avro file is changed
// or left out, with sizes put right again. Then the table is opened anew, read whole,
// by key and at a tag, written to, and checked.
//
// What may happen:
//
//	bytes changed    an error that names the file, or the right rows
//	a value changed  that, or the rows of the table that the changed files describe
//	pointer files    the right rows, whatever they hold
//
// Never a panic, a hang, memory far beyond the size of the files, nor fewer rows
// without a word. The run prints a table of what was done and what became of it.
//
//	go test ./tests/damage [-seed N]      DAMAGE=n for n mutations instead of 2,000
package damage
