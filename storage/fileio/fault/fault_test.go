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
	if err := s.Replace(ctx, "/c", nil); !errors.Is(err, fault.ErrInjected) {
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

// TestPublishInSteps fails each step of a publication in turn: the log shows them, and
// what is left says whether the one that publishes, and the one that makes it last, came
// before the failure.
func TestPublishInSteps(t *testing.T) {
	steps := []fault.Kind{
		fault.Create, fault.Write, fault.Finish, fault.Sync, fault.Sync, fault.Sync, fault.CreateIfAbsent, fault.Delete, fault.Sync,
	}
	const link, remove, dirSync = 7, 8, 9
	for n := 1; n <= len(steps)+1; n++ {
		disk := mem.New(nil)
		s, ctx := fault.Wrap(disk), t.Context()
		for _, name := range []string{"/d/a", "/d/b"} {
			if err := fileio.WriteFile(ctx, disk, name, nil); err != nil {
				t.Fatal(err)
			}
		}
		s.SetRule(fault.FailNth(n))
		err := fileio.PublishAfter(ctx, s, []string{"/d/a", "/d/b"}, "/s/new", []byte("x"))
		log := s.Log()
		for i := range min(n, len(steps)) {
			if log[i].Kind != steps[i] {
				t.Fatalf("step %d is %s, not %s", i+1, log[i], steps[i])
			}
		}
		if got, want := err == nil, n == remove || n > len(steps); got != want {
			t.Errorf("step %d fails: %v", n, err)
		}
		if got, want := errors.Is(err, fileio.ErrNotPublished), n < link; got != want {
			t.Errorf("step %d fails: %v", n, err)
		}
		for what, c := range map[string]struct {
			store *mem.Store
			want  bool
		}{"disk": {disk, n > link}, "disk after a power cut": {disk.Crash(), n > link && n != dirSync}} {
			_, err := fileio.ReadFile(ctx, c.store, "/s/new")
			if (err == nil) != c.want {
				t.Errorf("step %d fails: the %s has the file: %v", n, what, err)
			}
		}
	}
}
