package mem_test

import (
	"slices"
	"testing"

	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fileiotest"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

func TestConformance(t *testing.T) {
	fileiotest.Run(t, func(*testing.T) (fileio.Store, string) { return mem.New(nil), "/lake" })
}

func TestCrashKeepsWhatIsDurable(t *testing.T) {
	s := mem.New(nil)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(fileio.WriteFile(ctx, s, "/d/synced", []byte("1")))
	must(fileio.WriteFile(ctx, s, "/d/lost", []byte("2")))
	must(fileio.WriteFile(ctx, s, "/e/deleted", []byte("3")))
	must(fileio.WriteFile(ctx, s, "/f/deleted", []byte("4")))
	must(s.Sync(ctx, []string{"/d/synced", "/e/deleted", "/f/deleted"}))
	must(s.Delete(ctx, "/e/deleted"))
	must(s.Delete(ctx, "/f/deleted"))
	must(s.Replace(ctx, "/d/synced", []byte("new")))
	must(s.CreateIfAbsent(ctx, "/f/published", []byte("5")))

	c := s.Crash()
	want := []string{"/d/synced", "/e/deleted", "/f/published"}
	if got := c.Paths(); !slices.Equal(got, want) {
		t.Fatalf("a crash leaves %v, want %v", got, want)
	}
	data, err := fileio.ReadFile(ctx, c, "/d/synced")
	must(err)
	if string(data) != "1" {
		t.Fatalf("an unsynced replace survived: %q", data)
	}
	must(fileio.WriteFile(ctx, c, "/g/x", nil))
	if _, err := s.Open(ctx, "/g/x"); err == nil {
		t.Fatal("the crashed store shares files with its source")
	}
}
