package stats

// Binary is a statistics record as manifests store it: two serialised rows of
// equal arity (int32 big-endian arity, then a BinaryRow) and a null count per
// column, -1 where it is unknown. The zero value stands for a record that was
// not there; Empty is the record without columns.
type Binary struct {
	Min, Max   []byte
	NullCounts []int64
}
