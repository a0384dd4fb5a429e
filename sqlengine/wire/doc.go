// Package wire runs statements that arrive on client connections and encodes
// their results.
//
// Used by sqlengine, which hands New's Handler to the host's listener; uses the
// host engine, bridge and exec/expr. The host's handler stays behind ours for
// what is not overridden: connections and sessions. In front of the host's
// listener stands ours (Listen): some commands are answered before the host reads
// them, see commands.go. A file that LOAD DATA LOCAL asks for is read there too,
// by the statement itself (infile.go).
//
// A statement's life: process list and session begin → parse → plan and execute
// (a panic becomes an error of the statement) → rows are encoded, straight from
// batches when the plan gives batches → the iterator is closed, which commits →
// the host sends EOF. On an error the statement's own transaction is rolled back
// before the iterator is closed.
//
// Rules: (1) text rows are written to the socket in our own packets, in step with
// the connection's packet counter; (2) a row waits at most FlushAfter before it
// is sent, so that endless results show as they come; (3) memory of a result does
// not grow with its rows; (4) an error after the first row is sent as an ERR
// packet and the connection stays usable, as after one within a client's file; (5) a client that went away ends its
// statement within WatchEvery.
package wire
