package local

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"sync"
)

const (
	bufferBytes    = 64 << 10
	writeBackBytes = 4 << 20 // a large file's pages go to the disk while it is being written
)

// writer is a file being written straight to its name.
type writer struct {
	f       *os.File
	name    string
	pool    *sync.Pool // of *bufio.Writer
	buf     *bufio.Writer
	written int64
	started int64 // bytes whose write-back was started
	closed  bool
}

func newWriter(f *os.File, name string, pool *sync.Pool) *writer {
	buf, ok := pool.Get().(*bufio.Writer)
	if !ok {
		buf = bufio.NewWriterSize(f, bufferBytes)
	}
	buf.Reset(f)
	return &writer{f: f, name: name, pool: pool, buf: buf}
}

func (w *writer) Write(p []byte) (int, error) {
	if w.closed {
		return 0, mapWrite("write", w.name, os.ErrClosed)
	}
	n, err := w.buf.Write(p)
	w.written += int64(n)
	if err != nil {
		return n, mapWrite("write", w.name, err)
	}
	if done := w.written - int64(w.buf.Buffered()); done-w.started >= writeBackBytes {
		startWriteBack(w.f, w.started, done-w.started)
		w.started = done
	}
	return n, nil
}

func (w *writer) Finish(context.Context) error {
	if w.closed {
		return mapWrite("finish", w.name, os.ErrClosed)
	}
	err := w.buf.Flush()
	if err = errors.Join(err, w.close()); err != nil {
		return mapWrite("finish", w.name, err)
	}
	return nil
}

func (w *writer) Abort() error {
	var err error
	if !w.closed {
		err = w.close()
	}
	if e := unlink(w.name); e != nil && !errors.Is(e, os.ErrNotExist) {
		err = errors.Join(err, e)
	}
	if err != nil {
		return mapWrite("abort", w.name, err)
	}
	return nil
}

func (w *writer) close() error {
	w.closed = true
	w.buf.Reset(io.Discard)
	w.pool.Put(w.buf)
	w.buf = nil
	return w.f.Close()
}
