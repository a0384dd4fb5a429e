// Package columnar holds rows in columns: vectors, batches, their readers, and
// single values outside a vector.
//
// Used by every package that touches rows, from the file formats up to the
// executor; uses types. This is the shape of data everywhere between a file's pages
// and a client's packets; it is Arrow's layout, and package arrowrecord the border.
//
// Rules:
//
//  1. A vector has N slots and the typed slices that its type's Layout names,
//     each N long (Off is N+1 long). No other slice is set.
//  2. Valid is nil while no slot is null, else one bit a slot, set for a value,
//     in 64-bit words from the lowest bit. The slot under a null holds zero (an
//     empty string, an empty list), so that sums need not look at Valid.
//  3. Off starts at Off[0], not always 0, and never falls. Data may reach past
//     Off[N]: SlackBytes bytes behind the last value let gathers copy in blocks.
//  4. A batch that a Reader returns belongs to the reader and is valid until the
//     next call of Next or Close. Keep rows with Clone or Builder.
//  5. Vectors hold no pointer per row and count no references. They are safe to
//     read from many goroutines and to change from one.
package columnar
