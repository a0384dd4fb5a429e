package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// stopTimeout is how long running statements may go on after SIGTERM.
const stopTimeout = 30 * time.Second

// serveCmd serves MySQL clients until SIGTERM.
type serveCmd struct {
	warehouseFlags
	Listen string `help:"Address for MySQL clients." default:"127.0.0.1:4306"`
	HTTP   string `name:"http" help:"Address for /metrics, /healthz and /readyz; empty turns it off." default:"127.0.0.1:4380"`

	SecureFilePriv string `help:"Folder of the server whose files LOAD DATA and LOAD_FILE may read; none without it." type:"existingdir" placeholder:"DIR"`
}

// Run implements the subcommand.
func (c *serveCmd) Run(a *app) error {
	if err := loopbackOnly(c.Listen); err != nil {
		return err
	}
	l, err := listen(c.Listen)
	if err != nil {
		return err
	}
	w, err := c.open(a)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer w.close()
	w.fileDir = c.SecureFilePriv
	e, err := w.engine(a)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	g, ctx := errgroup.WithContext(a.ctx)
	g.Go(func() error {
		if err := e.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	var h *http.Server
	if c.HTTP != "" {
		hl, err := listen(c.HTTP)
		if err != nil {
			return errors.Join(err, e.Close())
		}
		h = newHTTPServer(e)
		g.Go(func() error {
			if err := h.Serve(hl); err != nil && !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("http: %w", err)
			}
			return nil
		})
	}
	fmt.Fprintf(a.stderr, "lakesql: warehouse %s, MySQL clients at %s\n", w.root, l.Addr())
	<-ctx.Done()
	a.log.Info("stopping")
	stop, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	err = e.Shutdown(stop)
	if h != nil {
		err = errors.Join(err, h.Shutdown(stop))
	}
	return errors.Join(err, g.Wait())
}

// listen opens a TCP address and says plainly when it is taken.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("address %s is in use: is another server running? Choose another one with --listen or --http", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", addr, err)
	}
	return l, nil
}

// loopbackOnly refuses addresses that others can reach: there is no password yet.
func loopbackOnly(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", addr, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("listen at %s: user root has no password, so only loopback addresses such as 127.0.0.1:4306 are allowed", addr)
}
