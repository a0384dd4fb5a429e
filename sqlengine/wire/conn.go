package wire

import (
	"bufio"
	"errors"
	"io"
	"reflect"
	"unsafe"

	"github.com/dolthub/vitess/go/mysql"
)

// maxPacket is the largest payload of one protocol packet.
const maxPacket = 1<<24 - 1

// connAccess reaches the packet counter and the buffered writer of the host's
// connections, which are private there. Offsets are looked up by name and type
// once, so that a host release that moves them is noticed at start.
type connAccess struct {
	sequence, writer uintptr
}

func newConnAccess() (connAccess, error) {
	t := reflect.TypeFor[mysql.Conn]()
	seq, ok1 := t.FieldByName("sequence")
	w, ok2 := t.FieldByName("bufferedWriter")
	if !ok1 || !ok2 || seq.Type != reflect.TypeFor[uint8]() || w.Type != reflect.TypeFor[*bufio.Writer]() {
		return connAccess{}, errors.New("wire: the host's connection has another layout than this release was built for")
	}
	return connAccess{seq.Offset, w.Offset}, nil
}

// counter is the packet counter of c.
func (a connAccess) counter(c *mysql.Conn) *uint8 {
	return (*uint8)(unsafe.Add(unsafe.Pointer(c), a.sequence))
}

// mute drops what the host writes to c until the command ends. It is for an error
// that was sent in place of the end of a result.
func (a connAccess) mute(c *mysql.Conn) bool { return a.redirect(c, io.Discard) }

// discard drops what the host has buffered for c and not flushed.
func (a connAccess) discard(c *mysql.Conn) bool { return a.redirect(c, c.Conn) }

// redirect drops what is buffered and sends what comes after it to another writer.
func (a connAccess) redirect(c *mysql.Conn, to io.Writer) bool {
	w := *(**bufio.Writer)(unsafe.Add(unsafe.Pointer(c), a.writer))
	if w == nil {
		return false
	}
	w.Reset(to)
	return true
}
