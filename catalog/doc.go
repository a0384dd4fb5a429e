// Package catalog finds tables by name.
//
// Used by sqlengine and cmd/lakesql; uses storage. Implementations sit beside it
// (filesystem: folders of a warehouse) and are handed in; catalogtest is the suite
// that each runs.
//
// Names are matched exactly, else by the only name that is equal without case.
// The same table is always the same *storage.Table within one catalog.
package catalog
