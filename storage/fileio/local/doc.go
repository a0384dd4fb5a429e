// Package local keeps files in a directory tree of this machine.
//
// Used by cmd/lakesql and tests, which hand the store to the storage packages;
// implements fileio.Store, fileio.Syncer, fileio.Publisher and fileio.DirStore.
//
// Rules: (1) CreateIfAbsent writes a temporary file beside the target, syncs it
// and links it to its name, so that two processes can never both publish one
// name; the directory is synced before it returns. (2) Create writes straight
// to its name, which must be free. (3) Finished files are durable after Sync,
// which syncs the files and their directories in parallel, and also the
// parents of directories that this process has not yet seen on disk. PublishAfter
// syncs the temporary file of CreateIfAbsent along with them. (4) Names
// that begin with a dot and end in .tmp are temporary; List shows them, who
// lists decides.
package local
