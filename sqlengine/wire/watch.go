package wire

import (
	"net"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/netutil"
)

// WatchEvery is how often a running statement looks whether its client is there.
const WatchEvery = 250 * time.Millisecond

// watch cancels the statement when its client is gone. stop ends it.
//
// Short statements pay for a timer only; there is no goroutine before the first look.
func (h *Handler) watch(ctx *sql.Context, c *mysql.Conn) (stop func()) {
	tcp := socketOf(c.Conn)
	if tcp == nil {
		return func() {}
	}
	id := c.ConnectionID
	list := ctx.ProcessList
	var look func()
	done := make(chan struct{})
	var t *time.Timer
	look = func() {
		select {
		case <-done:
			return
		default:
		}
		if gone(tcp) {
			list.Kill(id)
			return
		}
		t.Reset(WatchEvery)
	}
	ready := make(chan struct{})
	t = time.AfterFunc(WatchEvery, func() { <-ready; look() })
	close(ready)
	return func() {
		close(done)
		t.Stop()
	}
}

// socketOf is the TCP or Unix socket under c, nil if there is none to look at.
func socketOf(c net.Conn) rawConner {
	for {
		switch x := c.(type) {
		case netutil.ConnWithTimeouts:
			c = x.Conn
		case interface{ NetConn() net.Conn }: // clientConn, TLS
			c = x.NetConn()
		case rawConner:
			return x
		default:
			return nil
		}
	}
}
