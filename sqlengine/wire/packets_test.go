package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/vitess/go/mysql"
)

// recorder is a connection that keeps what is written.
type recorder struct {
	net.Conn
	bytes.Buffer
	err error
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return r.Buffer.Write(p)
}
func (r *recorder) Read(p []byte) (int, error) { return r.Buffer.Read(p) }

// packet reads one packet.
func packet(t *testing.T, r *recorder) (seq byte, payload []byte) {
	t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(&r.Buffer, head[:]); err != nil {
		t.Fatal(err)
	}
	payload = make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	if _, err := io.ReadFull(&r.Buffer, payload); err != nil {
		t.Fatal(err)
	}
	return head[3], payload
}

func TestPackets(t *testing.T) {
	seq := byte(253)
	r := &recorder{}
	w := packetsTo(r, &seq)
	lengths := []int{0, 1, 250, FlushBytes, maxPacket - 1, maxPacket, maxPacket + 1, 2 * maxPacket, 3}
	for i, n := range lengths {
		if err := w.finish(append(w.begin(), bytes.Repeat([]byte{byte(i)}, n)...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	if w.wrote != int64(r.Len()) {
		t.Errorf("%d bytes counted, %d written", w.wrote, r.Len())
	}
	next := byte(253)
	for i, n := range lengths {
		total := 0
		for {
			s, p := packet(t, r)
			if s != next {
				t.Fatalf("payload of %d bytes: packet %d, want %d", n, s, next)
			}
			next++
			total += len(p)
			if len(p) > 0 && (p[0] != byte(i) || p[len(p)-1] != byte(i)) {
				t.Fatalf("payload of %d bytes is mixed up", n)
			}
			if len(p) < maxPacket {
				break
			}
		}
		if total != n {
			t.Errorf("payload of %d bytes has %d", n, total)
		}
	}
	if next != seq || r.Len() != 0 {
		t.Errorf("counter %d, want %d; %d bytes left", seq, next, r.Len())
	}
}

func TestPacketErrors(t *testing.T) {
	seq := byte(7)
	r := &recorder{}
	w := packetsTo(r, &seq)
	if err := w.error(&mysql.SQLError{Num: 1317, State: "70100", Message: "stopped"}); err != nil {
		t.Fatal(err)
	}
	if s, p := packet(t, r); s != 7 || string(p) != "\xff\x25\x05#70100stopped" {
		t.Errorf("%d, %q", s, p)
	}
	if err := w.error(&mysql.SQLError{Num: 1105, Message: "no state"}); err != nil {
		t.Fatal(err)
	}
	if _, p := packet(t, r); !strings.HasPrefix(string(p[3:]), "#HY000") {
		t.Errorf("%q", p)
	}
	r.err = io.ErrClosedPipe
	if err := w.finish(append(w.begin(), make([]byte, FlushBytes)...)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("write to a closed connection: %v", err)
	}
	if err := w.flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the error of a write is forgotten: %v", err)
	}
}

// Complete rows do not wait for a slow source.
func TestPacketsOfSlowSource(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	seq := byte(0)
	w := packetsTo(server, &seq)
	if err := w.finish(append(w.begin(), "row"...)); err != nil {
		t.Fatal(err)
	}
	err := w.while(func() error {
		if err := client.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return err
		}
		got := make([]byte, 7)
		_, err := io.ReadFull(client, got)
		if string(got[4:]) != "row" {
			t.Errorf("%q", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestLengths(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		want string
	}{
		{0, "\x00"}, {250, "\xfa"}, {251, "\xfc\xfb\x00"}, {65535, "\xfc\xff\xff"}, {65536, "\xfd\x00\x00\x01"},
		{1<<24 - 1, "\xfd\xff\xff\xff"}, {1 << 24, "\xfe\x00\x00\x00\x01\x00\x00\x00\x00"},
	} {
		if got := appendLenInt(nil, c.n); string(got) != c.want {
			t.Errorf("%d: %x", c.n, got)
		}
	}
	if got := binary.LittleEndian.Uint64(appendLenInt(nil, 1<<40)[1:]); got != 1<<40 {
		t.Errorf("%d", got)
	}
}

// A panic becomes an error of the statement, counted and logged with its stack.
func TestGuard(t *testing.T) {
	var log strings.Builder
	h := &Handler{metrics: &Metrics{}, log: slog.New(slog.NewTextHandler(&log, nil))}
	call := func() (err error) {
		defer h.guard(&err, "SELECT 1")
		var m map[string]int
		fill(m)
		return nil
	}
	err := call()
	var e *mysql.SQLError
	if !errors.As(err, &e) || e.Num != 1105 || !strings.Contains(e.Message, "nil map") {
		t.Errorf("%v", err)
	}
	if h.metrics.Panics.Load() != 1 || !strings.Contains(log.String(), "TestGuard") {
		t.Errorf("%d panics, log %q", h.metrics.Panics.Load(), log.String())
	}
	if _, err := newConnAccess(); err != nil {
		t.Error(err)
	}
}

func fill(m map[string]int) { m["x"] = 1 }
