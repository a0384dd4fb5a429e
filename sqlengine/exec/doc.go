// Package exec holds the vectorised operators: each a reader of batches over
// readers of batches, one operator a file.
//
// Used by plan, which compiles host plans into it; uses columnar, types,
// predicate for conditions, and exec/expr for kernels. It knows nothing of the
// host engine.
//
// Rules: (1) an operator owns its inputs and closes them; (2) the batch that Next
// returns is valid until the next call, of the operator or of its input; (3) an
// operator never changes a batch of its input: it puts another selection or
// other columns beside it; (4) Next looks at ctx once a batch.
package exec
