package fileiotest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lakesql/lakesql/storage/fileio"
)

// Open gives a fresh store and an absolute path below which the test may write.
type Open func(t *testing.T) (store fileio.Store, root string)

// Run checks a store.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, fileio.Store, string)
	}{
		{"WriteRead", writeRead},
		{"CreateTaken", createTaken},
		{"Abort", abort},
		{"OpenMissing", openMissing},
		{"List", list},
		{"CreateIfAbsent", createIfAbsent},
		{"CreateIfAbsentRace", createIfAbsentRace},
		{"Replace", replace},
		{"Delete", deleteFile},
		{"Sync", syncFiles},
		{"PublishAfter", publishAfter},
		{"Directories", directories},
		{"OddNames", oddNames},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, root := open(t)
			c.run(t, store, root)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err, kind error, name string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got error %v, want %v", err, kind)
	}
	if !strings.Contains(err.Error(), name) {
		t.Fatalf("error %q does not name %s", err, name)
	}
}

func wantContent(t *testing.T, s fileio.Store, name, want string) {
	t.Helper()
	got, err := fileio.ReadFile(t.Context(), s, name)
	must(t, err)
	if string(got) != want {
		t.Fatalf("%s holds %q, want %q", name, got, want)
	}
}

func writeRead(t *testing.T, s fileio.Store, root string) {
	for _, size := range []int{0, 1, 70_000, 5 << 20} {
		name := fileio.Join(root, "a/b/c", fmt.Sprint("file-", size))
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		w, err := s.Create(t.Context(), name)
		must(t, err)
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 33_333)
			m, err := w.Write(rest[:n])
			must(t, err)
			if m != n {
				t.Fatalf("wrote %d of %d bytes", m, n)
			}
			rest = rest[n:]
		}
		must(t, w.Finish(t.Context()))
		got, err := fileio.ReadFile(t.Context(), s, name)
		must(t, err)
		if !bytes.Equal(got, data) {
			t.Fatalf("%d bytes read back differ", size)
		}
		f, err := s.Open(t.Context(), name)
		must(t, err)
		if f.SizeBytes() != int64(size) {
			t.Fatalf("size %d, want %d", f.SizeBytes(), size)
		}
		if n, err := f.ReadAt(make([]byte, 10), int64(size)); n != 0 || !errors.Is(err, io.EOF) {
			t.Fatalf("read past the end gave %d, %v", n, err)
		}
		if size > 10 {
			p := make([]byte, 10)
			if n, err := f.ReadAt(p, int64(size)-4); n != 4 || !errors.Is(err, io.EOF) || !bytes.Equal(p[:4], data[size-4:]) {
				t.Fatalf("read across the end gave %d, %v", n, err)
			}
		}
		must(t, f.Close())
	}
}

func createTaken(t *testing.T, s fileio.Store, root string) {
	name := fileio.Join(root, "x")
	must(t, fileio.WriteFile(t.Context(), s, name, []byte("first")))
	_, err := s.Create(t.Context(), name)
	wantErr(t, err, fileio.ErrExist, name)
	wantContent(t, s, name, "first")
}

func abort(t *testing.T, s fileio.Store, root string) {
	name := fileio.Join(root, "d/x")
	w, err := s.Create(t.Context(), name)
	must(t, err)
	_, err = w.Write([]byte("abc"))
	must(t, err)
	must(t, w.Abort())
	_, err = s.Open(t.Context(), name)
	wantErr(t, err, fileio.ErrNotFound, name)
}

func openMissing(t *testing.T, s fileio.Store, root string) {
	must(t, fileio.WriteFile(t.Context(), s, fileio.Join(root, "dir/f"), nil))
	for _, name := range []string{"nothing", "no/where", "dir/f/below"} {
		name = fileio.Join(root, name)
		_, err := s.Open(t.Context(), name)
		wantErr(t, err, fileio.ErrNotFound, name)
	}
	if _, err := s.Open(t.Context(), fileio.Join(root, "dir")); err == nil {
		t.Fatal("opened a directory")
	}
}

func list(t *testing.T, s fileio.Store, root string) {
	infos, err := s.List(t.Context(), fileio.Join(root, "none"))
	must(t, err)
	if len(infos) != 0 {
		t.Fatalf("a missing directory lists %v", infos)
	}
	for _, name := range []string{"d/b", "d/a", "d/c/deep/file", "d/.hidden.tmp", "d2/other"} {
		must(t, fileio.WriteFile(t.Context(), s, fileio.Join(root, name), []byte(name)))
	}
	infos, err = s.List(t.Context(), fileio.Join(root, "d"))
	must(t, err)
	var got []string
	for _, i := range infos {
		got = append(got, fmt.Sprint(i.Name, " ", i.Dir))
		if !i.Dir && (i.SizeBytes != int64(len("d/")+len(i.Name)) || i.ModTime.IsZero()) {
			t.Fatalf("bad info %+v", i)
		}
	}
	if want := []string{".hidden.tmp false", "a false", "b false", "c true"}; !slices.Equal(got, want) {
		t.Fatalf("listed %v, want %v", got, want)
	}
}

func createIfAbsent(t *testing.T, s fileio.Store, root string) {
	name := fileio.Join(root, "snapshot/snapshot-1")
	must(t, s.CreateIfAbsent(t.Context(), name, []byte("one")))
	wantErr(t, s.CreateIfAbsent(t.Context(), name, []byte("two")), fileio.ErrExist, name)
	wantContent(t, s, name, "one")
	infos, err := s.List(t.Context(), fileio.Join(root, "snapshot"))
	must(t, err)
	if len(infos) != 1 {
		t.Fatalf("temporary files are left: %v", infos)
	}
}

func createIfAbsentRace(t *testing.T, s fileio.Store, root string) {
	const racers = 8
	for round := range 20 {
		name := fileio.Join(root, fmt.Sprint("s/", round))
		var won atomic.Int32
		var winner atomic.Int32
		var wg sync.WaitGroup
		for i := range racers {
			wg.Go(func() {
				err := s.CreateIfAbsent(t.Context(), name, fmt.Append(nil, i))
				switch {
				case err == nil:
					won.Add(1)
					winner.Store(int32(i))
				case !errors.Is(err, fileio.ErrExist):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d racers won", won.Load())
		}
		wantContent(t, s, name, fmt.Sprint(winner.Load()))
	}
}

func replace(t *testing.T, s fileio.Store, root string) {
	name := fileio.Join(root, "hints/LATEST")
	must(t, s.Replace(t.Context(), name, []byte("1")))
	f, err := s.Open(t.Context(), name)
	must(t, err)
	must(t, s.Replace(t.Context(), name, []byte("22")))
	wantContent(t, s, name, "22")
	p := make([]byte, 1)
	if _, err := f.ReadAt(p, 0); (err != nil && !errors.Is(err, io.EOF)) || p[0] != '1' {
		t.Fatalf("an open file changed: %q, %v", p, err)
	}
	must(t, f.Close())
	must(t, fileio.Sync(t.Context(), s, []string{name}))
}

func deleteFile(t *testing.T, s fileio.Store, root string) {
	name := fileio.Join(root, "d/x")
	must(t, fileio.WriteFile(t.Context(), s, name, []byte("x")))
	must(t, s.Delete(t.Context(), name))
	must(t, s.Delete(t.Context(), name))
	must(t, s.Delete(t.Context(), fileio.Join(root, "no/such/dir")))
	_, err := s.Open(t.Context(), name)
	wantErr(t, err, fileio.ErrNotFound, name)
	must(t, fileio.WriteFile(t.Context(), s, name, []byte("again")))
	if err := s.Delete(t.Context(), fileio.Join(root, "d")); err == nil {
		t.Fatal("deleted a directory as a file")
	}
	wantContent(t, s, name, "again")
}

func syncFiles(t *testing.T, s fileio.Store, root string) {
	var names []string
	for i := range 40 {
		name := fileio.Join(root, fmt.Sprintf("p=%d/bucket-0/f-%d", i%5, i))
		must(t, fileio.WriteFile(t.Context(), s, name, []byte("x")))
		names = append(names, name)
	}
	must(t, fileio.Sync(t.Context(), s, names))
	must(t, fileio.Sync(t.Context(), s, nil))
	if _, ok := s.(fileio.Syncer); ok {
		missing := fileio.Join(root, "missing")
		wantErr(t, fileio.Sync(t.Context(), s, []string{missing}), fileio.ErrNotFound, missing)
	}
}

func directories(t *testing.T, s fileio.Store, root string) {
	d, ok := s.(fileio.DirStore)
	if !ok {
		t.Skip("the store has no directories")
	}
	a, b := fileio.Join(root, "a.db/t"), fileio.Join(root, "b.db/u")
	must(t, fileio.WriteFile(t.Context(), s, fileio.Join(a, "x/y"), []byte("1")))
	must(t, fileio.WriteFile(t.Context(), s, fileio.Join(root, "a.db/t2/z"), []byte("2")))
	must(t, d.RenameDir(t.Context(), a, b))
	wantContent(t, s, fileio.Join(b, "x/y"), "1")
	wantContent(t, s, fileio.Join(root, "a.db/t2/z"), "2")
	wantErr(t, d.RenameDir(t.Context(), b, fileio.Join(root, "a.db/t2")), fileio.ErrExist, "a.db/t2")
	wantErr(t, d.RenameDir(t.Context(), a, fileio.Join(root, "c")), fileio.ErrNotFound, a)
	must(t, d.RemoveEmptyDir(t.Context(), fileio.Join(b, "x")))
	wantContent(t, s, fileio.Join(b, "x/y"), "1")
	must(t, s.Delete(t.Context(), fileio.Join(b, "x/y")))
	must(t, d.RemoveEmptyDir(t.Context(), fileio.Join(b, "x")))
	must(t, d.RemoveEmptyDir(t.Context(), fileio.Join(b, "x")))
	infos, err := s.List(t.Context(), b)
	must(t, err)
	if len(infos) != 0 {
		t.Fatalf("left %v", infos)
	}
	must(t, d.RemoveAll(t.Context(), fileio.Join(root, "a.db")))
	must(t, d.RemoveAll(t.Context(), fileio.Join(root, "a.db")))
	_, err = s.Open(t.Context(), fileio.Join(root, "a.db/t2/z"))
	wantErr(t, err, fileio.ErrNotFound, "a.db/t2/z")
	// A removed directory can be filled and synced again.
	again := fileio.Join(root, "a.db/t2/z")
	must(t, fileio.WriteFile(t.Context(), s, again, []byte("3")))
	must(t, fileio.Sync(t.Context(), s, []string{again}))
}

func oddNames(t *testing.T, s fileio.Store, root string) {
	for _, name := range []string{"dt=2024-01-01T00%3A00/bucket-0/f", "k= /x", "k=ä日本/x", "k=a,b&c+d/x"} {
		full := fileio.Join(root, name)
		must(t, fileio.WriteFile(t.Context(), s, full, []byte(name)))
		wantContent(t, s, full, name)
	}
}

func publishAfter(t *testing.T, s fileio.Store, root string) {
	data := fileio.Join(root, "data/f")
	must(t, fileio.WriteFile(t.Context(), s, data, []byte("x")))
	name := fileio.Join(root, "snapshot/snapshot-1")
	must(t, fileio.PublishAfter(t.Context(), s, []string{data}, name, []byte("one")))
	wantErr(t, fileio.PublishAfter(t.Context(), s, []string{data}, name, []byte("two")), fileio.ErrExist, name)
	wantContent(t, s, name, "one")
	if _, ok := s.(fileio.Syncer); ok {
		missing, next := fileio.Join(root, "data/missing"), fileio.Join(root, "snapshot/snapshot-2")
		err := fileio.PublishAfter(t.Context(), s, []string{data, missing}, next, []byte("three"))
		wantErr(t, err, fileio.ErrNotPublished, missing)
		if _, err := s.Open(t.Context(), next); !errors.Is(err, fileio.ErrNotFound) {
			t.Fatalf("published all the same: %v", err)
		}
	}
	infos, err := s.List(t.Context(), fileio.Join(root, "snapshot"))
	must(t, err)
	if len(infos) != 1 {
		t.Fatalf("temporary files are left: %v", infos)
	}
}
