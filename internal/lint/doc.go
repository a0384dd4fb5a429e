// Package lint checks the rules of the source tree as a test: the import picture
// of docs/architecture.md, where the host engine may appear, that every package
// documents itself, and that there is no state outside of values.
//
// Used by go test alone; imports nothing of ours. The picture is the table in
// picture.go; a new package is added there first.
package lint
