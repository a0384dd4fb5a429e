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
func (a connAccess) mute(c *mysql.Conn) bool {
	w := *(**bufio.Writer)(unsafe.Add(unsafe.Pointer(c), a.writer))
	if w == nil {
		return false
	}
	w.Reset(io.Discard)
	return true
}
