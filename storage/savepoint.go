package storage

import "github.com/lakesql/lakesql/storage/write"

// Mark is a place in a Write to which Rewind returns.
type Mark = write.Mark

// SetReadModify turns WriteOptions.ReadModify on for a write that was begun
// without it: a transaction may add rows before it derives some.
func (w *Write) SetReadModify() { w.st.ReadModify = true }
