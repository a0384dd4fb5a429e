// Command options writes the page of table options from their declarations.
//
// It is run by go generate in storage/options. Usage: options [-o FILE].
package main
