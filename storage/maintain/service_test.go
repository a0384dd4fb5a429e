package maintain

import (
	"context"
	"errors"
	"log/slog"
	"testing"
)

func TestWorkRunsInOrderAndOnce(t *testing.T) {
	s := Start(slog.New(slog.DiscardHandler))
	defer s.Close()
	entered, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var ran []string
	note := func(name string) func(context.Context) error {
		return func(context.Context) error {
			ran = append(ran, name)
			return errors.New("a failure does not stop the service")
		}
	}
	s.Submit("first", func(context.Context) error { close(entered); <-release; return nil })
	<-entered
	s.Submit("a", note("a"))
	s.Submit("b", note("b"))
	s.Submit("a", note("a again"))
	s.Submit("end", func(context.Context) error { close(done); return nil })
	close(release)
	<-done
	if len(ran) != 2 || ran[0] != "a" || ran[1] != "b" {
		t.Fatalf("ran %v", ran)
	}
}

func TestCloseEndsTheWorkInHand(t *testing.T) {
	s := Start(slog.New(slog.DiscardHandler))
	entered := make(chan struct{})
	s.Submit("slow", func(ctx context.Context) error { close(entered); <-ctx.Done(); return ctx.Err() })
	s.Submit("never", func(context.Context) error { t.Error("ran after Close"); return nil })
	<-entered
	s.Close()
	s.Close()
	s.Submit("late", func(context.Context) error { t.Error("ran after Close"); return nil })
}
