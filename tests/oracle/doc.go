// Package oracle runs the plain SQL of tests/sqllogic against a MySQL-family
// server, so that what the scripts want is what such a server answers.
//
// "run" starts a private server and tells the test where it is; without it the
// test is skipped.
package oracle
