// Package filesystem is the catalog of a warehouse directory, laid out as
// Paimon's filesystem catalog: <warehouse>/<database>.db/<table>/.
//
// Used by cmd/lakesql and tests; uses catalog and storage. A folder is a table
// when its schema folder holds a schema. A database that has no table is kept by
// a file named .lakesql in its folder, since an object store has no empty folders;
// other engines pass over it.
//
// Rules: (1) a table's handle is the one that storage keeps; (2) nothing is cached
// of what exists, so that what other processes create and drop is seen at once.
package filesystem
