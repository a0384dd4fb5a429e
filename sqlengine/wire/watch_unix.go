//go:build unix

package wire

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// rawConner is a connection with a file descriptor.
type rawConner interface {
	SyscallConn() (syscall.RawConn, error)
}

// gone reports whether the other side closed its end. It takes nothing from the socket.
func gone(c rawConner) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		switch err {
		case nil:
			closed = n == 0
		case unix.EAGAIN, unix.EINTR:
		default:
			closed = true
		}
	})
	return err == nil && closed
}
