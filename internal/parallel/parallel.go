package parallel

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Group collects the first error of the functions that it runs. Make one with WithContext.
type Group struct{ g *errgroup.Group }

// Panic is the error of a part that panicked: the value and the stack of the goroutine that it happened in.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("internal error: %v", p.Value) }

// Unwrap gives the error that was thrown, if it was one.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// WithContext returns a group and a context that ends with its first error, or when Wait returns.
func WithContext(ctx context.Context) (*Group, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	return &Group{g: g}, ctx
}

// SetLimit bounds how many functions run at once; Go waits for a free place.
func (g *Group) SetLimit(n int) { g.g.SetLimit(n) }

// Go runs f in a goroutine of its own.
func (g *Group) Go(f func() error) {
	g.g.Go(func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = &Panic{Value: r, Stack: debug.Stack()}
			}
		}()
		return f()
	})
}

// Wait returns when all functions have, with the first error.
func (g *Group) Wait() error { return g.g.Wait() }
