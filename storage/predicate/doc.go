// Package predicate holds conditions on the columns of a table: what they can skip by
// statistics, which keys they name, and which rows of a batch they take.
//
// Used by manifest, scan and the formats to skip data, by scan to find buckets and
// points, by bridge which makes them from SQL; uses stats, columnar and types.
//
// Rules:
//
//  1. A predicate is true, false or unknown, as in SQL: a comparison with null is
//     unknown, also by IN and NOT IN of an empty list. Only rows for which it is true are taken. There is no NOT; Negate turns
//     it inwards.
//  2. Text and bytes compare by unsigned bytes. -0.0 equals 0.0; NaN equals itself and is
//     greater than every number.
//  3. To drop part of a predicate must never lose a row: only what is joined by AND may
//     go. Skipping is therefore always safe and never exact.
//  4. Nodes are immutable once made and may be shared. A nil *Node is true.
package predicate
