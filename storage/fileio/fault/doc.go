// Package fault wraps a file store and makes chosen operations fail, for tests.
//
// Used by tests of every package that promises something about failures. It
// counts operations in the order in which they begin, keeps a log of them, and
// asks a Rule what to do with each: let it pass, fail it before or after its
// effect, or change the bytes that a read returns.
//
// CreateIfAbsent and PublishAfter are several operations over a store of package mem:
// the steps that package local takes, each of which may fail.
//
// The usual test fails operation n for n = 1, 2, … until a run passes, and after
// each failure opens what is left with the inner store.
package fault
