// Package lake runs a lakesql server over a warehouse in a temporary folder.
//
// Used by tests/sqllogic and tests/oracle. The host keeps process-wide variables,
// so that one server runs at a time.
package lake
