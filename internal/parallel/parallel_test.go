package parallel_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/parallel"
)

func TestPanicIsAnError(t *testing.T) {
	g, ctx := parallel.WithContext(context.Background())
	g.SetLimit(1)
	g.Go(func() error { panic(io.ErrUnexpectedEOF) })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	err := g.Wait()
	var p *parallel.Panic
	if !errors.As(err, &p) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("Wait() = %v, want the panic", err)
	}
	if !strings.Contains(string(p.Stack), "TestPanicIsAnError") {
		t.Errorf("the stack does not show where it happened:\n%s", p.Stack)
	}
}
