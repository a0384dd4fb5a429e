package wire

import (
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// withFiles lets the statements of a connection ask for files of its client.
func (h *Handler) withFiles(ctx *sql.Context, c *mysql.Conn) {
	sql.WithServices(sql.Services{
		KillConnection: h.sessions.KillConnection,
		LoadInfile:     func(name string) (io.ReadCloser, error) { return h.askFile(c, name) },
	})(ctx)
}

// clientFile is a file that comes from the client: packets, an empty one ends it. It
// is read by the goroutine that serves the connection; no command is looked for
// meanwhile. Close reads what is left, so that the next packet is a command again.
type clientFile struct {
	from *clientConn
	seq  *uint8 // of the next packet
	left int    // bytes of the packet that were not read
	more bool   // the packet was full: the next one belongs to it and ends nothing
	err  error  // why nothing more comes; io.EOF at the end
}

// askFile sends the request for a file. The answer to the statement may follow only
// when the file is closed.
func (h *Handler) askFile(c *mysql.Conn, name string) (io.ReadCloser, error) {
	client := clientOf(c.Conn)
	if client == nil {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "LOAD DATA LOCAL over an encrypted connection is not supported")
	}
	if client.flags&mysql.CapabilityClientLocalFiles == 0 {
		return nil, bridge.LocalDisabled()
	}
	if err := c.FlushBuffer(); err != nil {
		return nil, err
	}
	seq := h.access.counter(c)
	w := newPacketWriter(c, seq)
	if err := w.finish(append(append(w.begin(), mysql.LocalInfilePacket), name...)); err != nil {
		return nil, err
	}
	return &clientFile{from: client, seq: seq}, w.flush()
}

// next begins the next packet that has bytes.
func (f *clientFile) next() error {
	for f.left == 0 && f.err == nil {
		n, err := f.from.header()
		switch {
		case err != nil:
			f.err = fmt.Errorf("read the client's file: %w", unexpected(err))
		case f.from.head[3] != *f.seq:
			f.err = bridge.Errorf(bridge.CodeOutOfOrder, "Got packets out of order")
			f.from.broken = f.err
		default:
			*f.seq++
			if n == 0 && !f.more {
				f.err = io.EOF
			}
			f.left, f.more = n, n == maxPacket
		}
	}
	return f.err
}

// unexpected is the error of a connection that ends within a file.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Read implements io.Reader.
func (f *clientFile) Read(p []byte) (int, error) {
	if err := f.next(); err != nil {
		return 0, err
	}
	n, err := f.from.in.Read(p[:min(len(p), f.left)])
	f.left -= n
	if err != nil {
		f.err = fmt.Errorf("read the client's file: %w", unexpected(err))
	}
	return n, f.err
}

// Close implements io.Closer.
func (f *clientFile) Close() error {
	for f.next() == nil {
		if _, err := f.from.in.Discard(f.left); err != nil {
			f.err = err
		}
		f.left = 0
	}
	if f.err == io.EOF {
		return nil
	}
	return f.err
}
