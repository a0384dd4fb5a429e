// Package sqllogic runs the SQL scripts of this folder against a server in the
// process, in both protocols.
//
// A script is <subject>/<topic>.test; package runner says how it is written. Each
// runs over a warehouse of its own. Scripts of cases/ run in every state of
// runner.Matrix. -rewrite writes the answers into the scripts: review each line.
package sqllogic
