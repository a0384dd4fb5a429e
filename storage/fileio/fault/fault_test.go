package fault_test

import (
	"errors"
	"testing"

	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/fileiotest"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

func TestConformance(t *testing.T) {
	fileiotest.Run(t, func(*testing.T) (fileio.Store, string) { return fault.Wrap(mem.New(nil)), "/lake" })
}

func TestRules(t *testing.T) {
	inner := mem.New(nil)
	s := fault.Wrap(inner)
	ctx := t.Context()
	if err := fileio.WriteFile(ctx, s, "/a", []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if s.Count() != 3 { // create, write, finish
		t.Fatalf("log %v", s.Log())
	}

	s.SetRule(fault.FailNth(1))
	if err := s.CreateIfAbsent(ctx, "/b", nil); !errors.Is(err, fault.ErrInjected) {
		t.Fatal(err)
	}
	if _, err := inner.Open(ctx, "/b"); !errors.Is(err, fileio.ErrNotFound) {
		t.Fatalf("a failure before the effect had one: %v", err)
	}
	if err := s.CreateIfAbsent(ctx, "/b", nil); err != nil {
		t.Fatal(err)
	}

	s.SetRule(fault.FailNthAfter(1))
	if err := s.CreateIfAbsent(ctx, "/c", nil); !errors.Is(err, fault.ErrInjected) {
		t.Fatal(err)
	}
	if _, err := inner.Open(ctx, "/c"); err != nil {
		t.Fatalf("a failure after the effect had none: %v", err)
	}

	s.SetRule(fault.DieAt(2))
	if _, err := s.List(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.List(ctx, "/"); !errors.Is(err, fault.ErrInjected) {
			t.Fatal(err)
		}
	}

	s.SetRule(func(o fault.Op) fault.Outcome {
		return fault.Outcome{Mangle: func(off int64, p []byte) int { p[0] ^= 0xff; return len(p) - 1 }}
	})
	if data, err := fileio.ReadFile(ctx, s, "/a"); err == nil {
		t.Fatalf("a short read passed: %q", data)
	}
}
