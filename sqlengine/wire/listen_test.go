package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

// packets cuts a payload into packets, the first of this number.
func packets(seq byte, payload []byte) []byte {
	var out []byte
	for {
		n := min(len(payload), maxPacket)
		out = append(out, byte(n), byte(n>>8), byte(n>>16), seq)
		out = append(out, payload[:n]...)
		payload = payload[n:]
		seq++
		if n < maxPacket {
			return out
		}
	}
}

// The host reads everything but the commands that are answered for it, whatever it
// asks for at a time; commands of many packets are whole.
func TestClientConn(t *testing.T) {
	query := append([]byte{mysql.ComQuery}, bytes.Repeat([]byte{mysql.ComPrepare}, maxPacket+5)...) // goes on in a packet that looks like a command
	full := append([]byte{mysql.ComQuery}, make([]byte, maxPacket-1)...)                            // ends with an empty packet
	long := append([]byte{mysql.ComPrepare}, bytes.Repeat([]byte("x"), 2*maxPacket)...)
	short := []byte{mysql.ComPrepare, 'y'}
	var in, want []byte
	for _, x := range []struct {
		packets []byte
		host    bool
	}{
		{packets(1, []byte{mysql.ComPrepare, 1}), true}, // no command: part of the greeting
		{packets(0, []byte{mysql.ComPing}), true},
		{packets(0, short), false},
		{packets(0, query), true},
		{packets(0, long), false},
		{packets(0, full), true},
		{packets(0, nil), false},
		{packets(0, short), false},
		{packets(0, []byte{mysql.ComQuit}), true},
	} {
		in = append(in, x.packets...)
		if x.host {
			want = append(want, x.packets...)
		}
	}
	for _, size := range []int{7, 4096, len(in)} {
		r := &recorder{}
		r.Buffer.Write(in)
		c := &clientConn{Conn: r, in: bufio.NewReaderSize(r, 64), limit: len(in)}
		var answered []int
		c.answer = func(head []byte) func([]byte) error {
			if len(head) > 0 && head[0] != mysql.ComPrepare {
				return nil
			}
			return func(payload []byte) error {
				answered = append(answered, len(payload))
				return nil
			}
		}
		var got []byte
		buf := make([]byte, size)
		for {
			n, err := c.Read(buf)
			got = append(got, buf[:n]...)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				t.Fatal("nothing was read")
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d at a time: the host reads %d bytes, want %d", size, len(got), len(want))
		}
		if lengths := []int{len(short), len(long), 0, len(short)}; !slices.Equal(answered, lengths) {
			t.Errorf("%d at a time: commands of %v bytes, want %v", size, answered, lengths)
		}
	}
}

// An answer that fails ends the connection, as does a packet that is cut short.
func TestClientConnErrors(t *testing.T) {
	r := &recorder{}
	r.Buffer.Write(packets(0, []byte{mysql.ComPrepare}))
	c := &clientConn{Conn: r, in: bufio.NewReader(r), limit: 9}
	c.answer = func([]byte) func([]byte) error { return func([]byte) error { return net.ErrClosed } }
	if _, err := c.Read(make([]byte, 9)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
	r.Buffer.Reset()
	r.Buffer.Write(packets(0, []byte{mysql.ComPrepare, 1, 2, 3})[:6])
	if _, err := c.Read(make([]byte, 9)); err == nil {
		t.Error("half a packet is answered")
	}
}

func TestParseChangeUser(t *testing.T) {
	for _, x := range []struct {
		payload, user, db string
		ok                bool
	}{
		{"root\x00\x00shop\x00", "root", "shop", true},
		{"root\x00\x03a\x00cshop\x00\xff\x00plugin\x00", "root", "shop", true},
		{"\x00\x00\x00", "", "", true},
		{"root", "", "", false},
		{"root\x00", "", "", false},
		{"root\x00\x09ab\x00", "", "", false},
		{"root\x00\x00shop", "", "", false},
	} {
		user, db, err := parseChangeUser([]byte(x.payload))
		if user != x.user || db != x.db || (err == nil) != x.ok {
			t.Errorf("%q: %q, %q, %v", x.payload, user, db, err)
		}
	}
}
