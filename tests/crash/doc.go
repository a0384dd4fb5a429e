// Package crash proves what is left of a table on a local disk when a process is
// killed, when two processes commit at once, and when another engine's writer
// replaces a snapshot.
//
// The test binary runs itself as the writing process: TestMain looks for the
// environment variable that says so. A writer acknowledges each commit on its
// standard output; the test kills it with SIGKILL at a random moment, opens the
// table, and wants every acknowledged commit whole, no commit in part, and a clean
// offline check.
package crash
