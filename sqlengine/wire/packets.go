package wire

import (
	"bytes"
	"encoding/binary"
	"net"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

const (
	// FlushBytes is how much encoded text is gathered before it is written.
	FlushBytes = 64 << 10
	// FlushAfter is how long encoded rows wait for more while the source is slow.
	FlushAfter = 10 * time.Millisecond
	// maxKept is the largest buffer that is kept for more rows.
	maxKept = 1 << 20
)

// packetWriter writes packets to a client past the host's writer. Everything
// that the host has buffered must be flushed before. Packets are built by one
// goroutine; while it waits for more rows a timer may flush what is complete.
type packetWriter struct {
	conn net.Conn
	seq  *uint8

	mu    sync.Mutex // held by the timer while it flushes, by the builder but in while
	buf   []byte     // complete packets, behind them the one under construction
	at    int        // where in buf the header of that one is
	err   error      // of a write
	wrote int64      // bytes handed to the socket
	timer *time.Timer
}

func newPacketWriter(c *mysql.Conn, seq *uint8) *packetWriter {
	return packetsTo(c.Conn, seq)
}

func packetsTo(c net.Conn, seq *uint8) *packetWriter {
	w := &packetWriter{conn: c, seq: seq}
	w.mu.Lock()
	return w
}

// begin returns the buffer to which a new payload is appended; finish takes it
// back. A payload that is never finished is as if it had not been begun.
func (w *packetWriter) begin() []byte {
	w.at = len(w.buf)
	return append(w.buf, 0, 0, 0, 0)
}

func (w *packetWriter) finish(p []byte) error {
	head, payload := p[w.at:], p[w.at+4:]
	if n := len(payload); n < maxPacket {
		head[0], head[1], head[2], head[3] = byte(n), byte(n>>8), byte(n>>16), *w.seq
		*w.seq++
		w.buf = p
	} else {
		w.buf = p[:w.at]
		w.split(bytes.Clone(payload))
	}
	if len(w.buf) >= FlushBytes {
		return w.flush()
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

// flush writes what is complete.
func (w *packetWriter) flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.conn.Write(w.buf)
		w.wrote += int64(len(w.buf))
	}
	w.buf = w.buf[:0]
	if cap(w.buf) > maxKept {
		w.buf = nil
	}
	return w.err
}

// while runs fetch, which may take a while: complete packets are sent after
// FlushAfter.
func (w *packetWriter) while(fetch func() error) error {
	w.waiting()
	defer w.ready()
	return fetch()
}

func (w *packetWriter) waiting() {
	switch {
	case len(w.buf) == 0:
	case w.timer == nil:
		w.timer = time.AfterFunc(FlushAfter, func() {
			if w.mu.TryLock() { // else the builder is at work again
				_ = w.flush() // the builder sees the error
				w.mu.Unlock()
			}
		})
	default:
		w.timer.Reset(FlushAfter)
	}
	w.mu.Unlock()
}

func (w *packetWriter) ready() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.mu.Lock()
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

func appendText(dst []byte, s string) []byte {
	return append(appendLenInt(dst, uint64(len(s))), s...)
}

// null stands for a value that is NULL in a row of text.
const null = 0xfb

// appendField appends the payload of a column definition.
func appendField(dst []byte, f *querypb.Field) []byte {
	typ, flags := sqltypes.TypeToMySQL(f.Type)
	if f.Flags != 0 {
		flags = int64(f.Flags)
	}
	for _, s := range []string{"def", f.Database, f.Table, f.OrgTable, f.Name, f.OrgName} {
		dst = appendText(dst, s)
	}
	dst = append(dst, 0x0c) // bytes that follow
	dst = binary.LittleEndian.AppendUint16(dst, uint16(f.Charset))
	dst = binary.LittleEndian.AppendUint32(dst, f.ColumnLength)
	dst = append(dst, byte(typ))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(flags))
	return append(dst, byte(f.Decimals), 0, 0)
}

// appendEOF appends the payload of an end without warnings.
func appendEOF(dst []byte, status uint16) []byte {
	dst = append(dst, mysql.EOFPacket, 0, 0)
	return binary.LittleEndian.AppendUint16(dst, status)
}

// appendOK appends the payload of an OK without counts and warnings. Its head is
// EOFPacket where it ends rows.
func appendOK(dst []byte, head byte, status uint16) []byte {
	dst = append(dst, head, 0, 0)
	dst = binary.LittleEndian.AppendUint16(dst, status)
	return append(dst, 0, 0)
}
