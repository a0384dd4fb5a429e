package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/netutil"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// Listen puts connections of ours in front of the host's listener: they answer the
// commands that the host does not know or answers wrongly (commands.go) before it
// reads them. It works on plain connections, not on encrypted ones.
func Listen(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &clientConn{Conn: c, in: bufio.NewReaderSize(c, mysql.DefaultConnBufferSize), limit: maxPacket - 1}, nil
}

// clientConn is a connection to a client, read by the host. A packet of number 0
// begins a command; all others go through as they are. Reading is for one
// goroutine at a time: the one that serves the connection, which also runs answer.
type clientConn struct {
	net.Conn
	in *bufio.Reader

	// answer is asked about each command. It gives nil for commands that are the
	// host's; the other ones it answers, with the whole payload. Nil before the
	// host knows the connection.
	answer func(head []byte) func(payload []byte) error

	// limit is how many bytes a payload may have, in however many packets.
	limit int
	// flags are the capabilities that the client said it has, in its first packet.
	flags   uint32
	greeted bool
	broken  error // why no command can be read any more

	head    [4]byte
	unread  int  // bytes of head that the host has not read
	left    int  // bytes of the packet's payload that the host has not read
	total   int  // bytes of the payload up to the end of the packet
	partial bool // the payload goes on in the next packet, which may be empty
}

// NetConn is the connection underneath.
func (c *clientConn) NetConn() net.Conn { return c.Conn }

// Read implements net.Conn.
func (c *clientConn) Read(p []byte) (int, error) {
	for c.unread == 0 && c.left == 0 {
		if err := c.nextPacket(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.head[4-c.unread:])
	c.unread -= n
	if n == len(p) || n > 0 && c.in.Buffered() == 0 {
		return n, nil
	}
	if c.left == 0 {
		return n, nil
	}
	p = p[n:min(len(p), n+c.left)]
	if n > 0 {
		p = p[:min(len(p), c.in.Buffered())] // what is there: no waiting for more
	}
	m, err := c.in.Read(p)
	c.left -= m
	return n + m, err
}

// nextPacket reads the header of the next packet that is for the host.
func (c *clientConn) nextPacket() error {
	for {
		if c.broken != nil {
			return c.broken
		}
		n, err := c.header()
		if err != nil {
			return err
		}
		command := c.head[3] == 0 && !c.partial && c.answer != nil
		if !c.partial {
			c.total = 0
		}
		c.partial = n == maxPacket
		if c.total += n; c.total > c.limit {
			return c.tooLong(n)
		}
		if err := c.greet(n); err != nil {
			return err
		}
		if !command {
			c.unread, c.left = 4, n
			return nil
		}
		head, err := c.in.Peek(min(n, commandHead))
		if err != nil {
			return err
		}
		answer := c.answer(head)
		if answer == nil {
			c.unread, c.left = 4, n
			return nil
		}
		payload, err := c.payload(n)
		if err != nil {
			return err
		}
		if err := answer(payload); err != nil {
			return err
		}
	}
}

// header reads a packet's header and gives the length of its payload.
func (c *clientConn) header() (int, error) {
	if _, err := io.ReadFull(c.in, c.head[:]); err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint32(c.head[:]) & maxPacket), nil
}

// greet keeps what the client says of itself in its first packet, of n bytes.
func (c *clientConn) greet(n int) error {
	if c.greeted {
		return nil
	}
	c.greeted = true
	if n < 4 {
		return nil
	}
	p, err := c.in.Peek(4)
	if err == nil {
		c.flags = binary.LittleEndian.Uint32(p)
	}
	return err
}

// tooLong drops a payload that is beyond the limit, from a packet of n bytes on, and
// tells the client, whose connection ends then as in MySQL.
func (c *clientConn) tooLong(n int) error {
	c.broken = bridge.Errorf(bridge.CodePacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
	for {
		if _, err := c.in.Discard(n); err != nil {
			return err
		}
		if n < maxPacket {
			break
		}
		var err error
		if n, err = c.header(); err != nil {
			return err
		}
	}
	seq := c.head[3] + 1
	return errors.Join(c.broken, packetsTo(c.Conn, &seq).error(sqlError(c.broken)))
}

// payload reads a payload whose first packet has n bytes.
func (c *clientConn) payload(n int) ([]byte, error) {
	var out []byte
	for {
		at := len(out)
		out = append(out, make([]byte, n)...)
		if _, err := io.ReadFull(c.in, out[at:]); err != nil {
			return nil, err
		}
		if n < maxPacket {
			c.partial = false
			return out, nil
		}
		var err error
		if n, err = c.header(); err != nil {
			return nil, err
		}
		if c.total += n; c.total > c.limit {
			return nil, c.tooLong(n)
		}
	}
}

// clientOf is our connection under the host's, nil when its listener is not ours.
func clientOf(c net.Conn) *clientConn {
	for {
		switch x := c.(type) {
		case netutil.ConnWithTimeouts:
			c = x.Conn
		case *clientConn:
			return x
		default:
			return nil
		}
	}
}
