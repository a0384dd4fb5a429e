// Package parallel runs the parts of one statement side by side. It is errgroup with one addition: a panic of a part
// becomes its error, so that it ends the statement and not the process, whose other sessions have no share in it.
package parallel
