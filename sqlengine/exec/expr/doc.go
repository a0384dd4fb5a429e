// Package expr holds the expression kernels of the executor: loops over vectors
// that compare, calculate, select and print.
//
// Used by exec, by plan (which compiles host expressions into it) and by wire
// (text of a value); uses columnar and types. It knows nothing of the host
// engine: MySQL's own rules reach it as values that the caller passes in.
//
// Rules: (1) a kernel works on one batch and allocates nothing per row; (2) an
// output vector belongs to the kernel's node and is valid until its next call;
// (3) slots under a null hold zero; (4) kernels compute every slot, selected or
// not, unless computing may fail.
package expr
