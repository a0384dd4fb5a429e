package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/types"
)

func fixedNow() time.Time { return time.UnixMilli(1700000000000) }

func define(t testing.TB, d Definition) *Schema {
	t.Helper()
	s, _, err := Define(d, fixedNow())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func simple(t testing.TB) *Schema {
	return define(t, Definition{
		Fields:      []types.Field{{Name: "k", Type: types.Of(types.Int)}, {Name: "v", Type: types.String()}},
		PrimaryKeys: []string{"k"},
		Options:     map[string]string{"bucket": "2"},
	})
}

func TestManager(t *testing.T) {
	ctx := context.Background()
	store := mem.New(fixedNow)
	m := New(store, "/w/d.db/t")
	if _, err := m.Latest(ctx); !errors.Is(err, ErrNoSchema) {
		t.Fatalf("empty directory: %v", err)
	}
	if err := m.Create(ctx, simple(t)); err != nil {
		t.Fatal(err)
	}
	if err := m.Create(ctx, simple(t)); !errors.Is(err, ErrExists) {
		t.Fatalf("second create: %v", err)
	}
	for _, junk := range []string{".schema-9.tmp", "schema-", "schema-x", "schema-1x", "other"} {
		if err := fileio.WriteFile(ctx, store, "/w/d.db/t/schema/"+junk, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 { // past 9: ids are numbers, not text
		if _, err := m.Apply(ctx, []Change{AddColumn{Path: []string{fmt.Sprint("c", i)}, Type: types.Of(types.Int)}}, false); err != nil {
			t.Fatal(err)
		}
	}
	other := New(store, "/w/d.db/t")
	s, err := other.Latest(ctx)
	if err != nil || s.ID != 12 || len(s.Fields) != 14 || s.HighestFieldID != 13 {
		t.Fatalf("latest: %+v, %v", s, err)
	}
	if again, _ := other.Get(ctx, 12); again != s {
		t.Error("schema was read twice")
	}
	ids, err := other.List(ctx)
	if err != nil || len(ids) != 13 || !slices.IsSorted(ids) {
		t.Errorf("ids %v, %v", ids, err)
	}
	if _, err := other.Get(ctx, 99); !errors.Is(err, fileio.ErrNotFound) {
		t.Errorf("missing schema: %v", err)
	}
	if same, err := m.Apply(ctx, []Change{SetOption{Key: "bucket", Value: "2"}}, true); err != nil || same.ID != 12 {
		t.Errorf("no change: %v, %v", same, err)
	}
	if err := fileio.WriteFile(ctx, store, "/w/d.db/t/schema/schema-13", []byte(`{"id":13}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Latest(ctx); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), "schema/schema-13") {
		t.Errorf("damaged schema: %v", err)
	}
}

// listCounter counts the listings of a store.
type listCounter struct {
	fileio.Store
	lists int
}

func (c *listCounter) List(ctx context.Context, dir string) ([]fileio.Info, error) {
	c.lists++
	return c.Store.List(ctx, dir)
}

// A Manager sees what others publish, take back and make anew, and lists the directory
// only then.
func TestManagerFollows(t *testing.T) {
	ctx := context.Background()
	store := &listCounter{Store: mem.New(fixedNow)}
	m, other := New(store, "/t"), New(store.Store, "/t")
	if err := other.Create(ctx, simple(t)); err != nil {
		t.Fatal(err)
	}
	latest := func(step string, id int64, lists int) *Schema {
		t.Helper()
		store.lists = 0
		s, err := m.Latest(ctx)
		if err != nil || s.ID != id || store.lists != lists {
			t.Fatalf("%s: schema %+v after %d listings, %v", step, s, store.lists, err)
		}
		return s
	}
	add := func(name string) {
		t.Helper()
		if _, err := other.Apply(ctx, []Change{AddColumn{Path: []string{name}, Type: types.Of(types.Int)}}, false); err != nil {
			t.Fatal(err)
		}
	}
	latest("first look", 0, 1)
	latest("second look", 0, 0)
	add("a")
	add("b")
	latest("two more", 2, 1)
	latest("the same", 2, 0)
	if err := store.Delete(ctx, other.Path(2)); err != nil {
		t.Fatal(err)
	}
	latest("taken back", 1, 1)
	add("c")
	if s := latest("another in its place", 2, 1); s.Fields[len(s.Fields)-1].Name != "c" {
		t.Errorf("its fields are %v", s.Fields)
	}
	for id := range int64(3) {
		if err := store.Delete(ctx, other.Path(id)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Latest(ctx); !errors.Is(err, ErrNoSchema) {
		t.Errorf("dropped: %v", err)
	}
}

func TestManagerWrongID(t *testing.T) {
	ctx := context.Background()
	store := mem.New(fixedNow)
	if err := fileio.WriteFile(ctx, store, "/t/schema/schema-3", simple(t).Encode()); err != nil {
		t.Fatal(err)
	}
	if _, err := New(store, "/t").Latest(ctx); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), "has the id 0") {
		t.Errorf("wrong id: %v", err)
	}
}

// Changes made at the same time by several managers all end up in the newest schema.
func TestManagerConcurrent(t *testing.T) {
	ctx := context.Background()
	store := mem.New(fixedNow)
	if err := New(store, "/t").Create(ctx, simple(t)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = New(store, "/t").Apply(ctx, []Change{AddColumn{Path: []string{fmt.Sprint("c", i)}, Type: types.Of(types.Int)}}, true)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	s, err := New(store, "/t").Latest(ctx)
	if err != nil || s.ID != 16 || len(s.Fields) != 18 {
		t.Fatalf("%+v, %v", s, err)
	}
	seen := map[int]bool{}
	for _, f := range s.Fields {
		if seen[f.ID] {
			t.Errorf("id %d was given twice", f.ID)
		}
		seen[f.ID] = true
	}
}

// uncertainStore publishes a file and then says that it does not know.
type uncertainStore struct {
	fileio.Store
	written bool
}

func (s *uncertainStore) CreateIfAbsent(ctx context.Context, path string, data []byte) error {
	if s.written {
		if err := s.Store.CreateIfAbsent(ctx, path, data); err != nil {
			return err
		}
	}
	return errors.New("connection lost")
}

func TestManagerUncertainWrite(t *testing.T) {
	ctx := context.Background()
	for _, written := range []bool{true, false} {
		store := mem.New(fixedNow)
		err := New(&uncertainStore{Store: store, written: written}, "/t").Create(ctx, simple(t))
		if (err == nil) != written {
			t.Errorf("written %v: %v", written, err)
		}
	}
}
