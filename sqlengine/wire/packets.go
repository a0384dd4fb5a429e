package wire

import (
	"encoding/binary"
	"net"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"
)

const (
	// FlushBytes is how much encoded text is gathered before it is written.
	FlushBytes = 64 << 10
	// FlushAfter is how long encoded rows wait for more while the source is slow.
	FlushAfter = 10 * time.Millisecond
)

// packetWriter writes packets to a client past the host's writer. Everything
// that the host has buffered must be flushed before. Rows are built by one
// goroutine; a timer may flush what is complete meanwhile.
type packetWriter struct {
	conn net.Conn
	seq  *uint8

	mu    sync.Mutex
	buf   []byte // complete packets
	err   error  // of a write
	timer *time.Timer

	row   []byte // packet under construction, header first
	wrote int64  // bytes handed to the socket
}

func newPacketWriter(c *mysql.Conn, seq *uint8) *packetWriter {
	return &packetWriter{conn: c.Conn, seq: seq}
}

// begin returns the buffer for a new payload; finish takes it back with the payload appended.
func (w *packetWriter) begin() []byte {
	return append(w.row[:0], 0, 0, 0, 0)
}

func (w *packetWriter) finish(p []byte) error {
	w.row = p
	n := len(p) - 4
	w.mu.Lock()
	defer w.mu.Unlock()
	if n < maxPacket {
		p[0], p[1], p[2], p[3] = byte(n), byte(n>>8), byte(n>>16), *w.seq
		*w.seq++
		w.buf = append(w.buf, p...)
	} else {
		w.split(p[4:])
		w.row = nil
	}
	if len(w.buf) >= FlushBytes {
		w.flushLocked()
	}
	return w.err
}

// split appends a payload that does not fit one packet; the last part is shorter
// than a full packet, empty if need be.
func (w *packetWriter) split(p []byte) {
	for {
		n := min(len(p), maxPacket)
		w.buf = append(w.buf, byte(n), byte(n>>8), byte(n>>16), *w.seq)
		*w.seq++
		w.buf = append(w.buf, p[:n]...)
		p = p[n:]
		if n < maxPacket {
			return
		}
	}
}

func (w *packetWriter) flushLocked() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.conn.Write(w.buf)
		w.wrote += int64(len(w.buf))
	}
	w.buf = w.buf[:0]
}

// flush writes what is complete.
func (w *packetWriter) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushLocked()
	return w.err
}

// waiting says that the next rows may take a while; ready ends it. In between,
// complete rows are sent after FlushAfter.
func (w *packetWriter) waiting() {
	w.mu.Lock()
	pending := len(w.buf) > 0
	w.mu.Unlock()
	if !pending {
		return
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(FlushAfter, func() { _ = w.flush() })
		return
	}
	w.timer.Reset(FlushAfter)
}

func (w *packetWriter) ready() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// error sends an ERR packet in place of the next row.
func (w *packetWriter) error(e *mysql.SQLError) error {
	p := w.begin()
	p = append(p, 0xff)
	p = binary.LittleEndian.AppendUint16(p, uint16(e.Num))
	p = append(p, '#')
	state := e.State
	if len(state) != 5 {
		state = "HY000"
	}
	p = append(p, state...)
	p = append(p, e.Message...)
	if err := w.finish(p); err != nil {
		return err
	}
	return w.flush()
}

// appendLenInt appends a length-encoded integer.
func appendLenInt(dst []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(dst, byte(n))
	case n < 1<<16:
		return append(dst, 0xfc, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(dst, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(dst, 0xfe), n)
}
