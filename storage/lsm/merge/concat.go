package merge

import (
	"context"
	"errors"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
)

// OpenFunc opens one file of a run.
type OpenFunc func(ctx context.Context) (columnar.Reader, error)

// Concat returns the rows of files one after the other: a run of several files. Each
// is opened when the one before has ended, so that a run holds one file open.
func Concat(files ...OpenFunc) columnar.Reader { return &concat{files: files} }

type concat struct {
	files []OpenFunc
	open  columnar.Reader
	err   error
}

func (c *concat) Next(ctx context.Context) (*columnar.Batch, error) {
	for c.err == nil {
		if c.open == nil {
			if len(c.files) == 0 {
				return nil, io.EOF
			}
			if c.open, c.err = c.files[0](ctx); c.err != nil {
				c.open = nil
				break
			}
			c.files = c.files[1:]
		}
		b, err := c.open.Next(ctx)
		if err == nil {
			return b, nil
		}
		if err != io.EOF {
			c.err = err
			break
		}
		r := c.open
		c.open = nil
		c.err = r.Close()
	}
	return nil, c.err
}

func (c *concat) Close() error {
	c.files = nil
	if c.err == nil {
		c.err = errors.New("reader is closed")
	}
	if c.open == nil {
		return nil
	}
	r := c.open
	c.open = nil
	return r.Close()
}
