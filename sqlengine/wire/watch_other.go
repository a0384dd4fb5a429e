//go:build !unix

package wire

import "syscall"

// rawConner is a connection with a file descriptor.
type rawConner interface {
	SyscallConn() (syscall.RawConn, error)
}

// gone cannot tell on this system; a write error ends the statement later.
func gone(rawConner) bool { return false }
