// Command lakesql is a SQL server, shell and toolbox for lake tables in the
// Apache Paimon format.
//
// It only reads flags, opens what a subcommand needs, runs it and stops it in
// order: one file a subcommand. Every flag can be given as an environment
// variable LAKESQL_<FLAG>. Logs go to stderr; the exit code is not 0 on failure.
package main
