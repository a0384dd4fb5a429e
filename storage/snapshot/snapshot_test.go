package snapshot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot"
)

const dir = "/lake/t"

// TestForeignSnapshots decodes snapshots of other writers and encodes them again:
// nothing that they know may be lost.
func TestForeignSnapshots(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		if st, err := os.Stat(path); err != nil || st.IsDir() {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var want, got map[string]any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(s.Encode(), &got); err != nil {
			t.Fatal(err)
		}
		for name, v := range want {
			if v == nil || name == "logOffsets" || strings.HasPrefix(name, "tag") {
				delete(want, name)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", path, got, want)
		}
		back, err := snapshot.Decode(s.Encode())
		if err != nil || !reflect.DeepEqual(back, s) {
			t.Errorf("%s: %+v, %v", path, back, err)
		}
	}
}

func TestEncodeOrder(t *testing.T) {
	mark := int64(5)
	s := full(7)
	s.Watermark = &mark
	want := `{
  "version": 3,
  "uuid": "u-7",
  "id": 7,
  "schemaId": 2,
  "baseManifestList": "manifest-list-b",
  "baseManifestListSize": 10,
  "deltaManifestList": "manifest-list-d",
  "deltaManifestListSize": 20,
  "changelogManifestList": "manifest-list-c",
  "changelogManifestListSize": 30,
  "indexManifest": "index-manifest-i",
  "commitUser": "user <&>",
  "writerVersion": "lakesql-1",
  "commitIdentifier": 9223372036854775807,
  "commitKind": "APPEND",
  "timeMillis": 7000,
  "totalRecordCount": 3,
  "deltaRecordCount": -1,
  "changelogRecordCount": 4,
  "watermark": 5,
  "statistics": "stat-s",
  "properties": {
    "k": "v"
  },
  "nextRowId": 0,
  "operation": "WRITE"
}`
	if got := string(s.Encode()); got != want {
		t.Fatalf("got %s", got)
	}
}

func full(id snapshot.ID) *snapshot.Snapshot {
	return &snapshot.Snapshot{
		Version: 3, UUID: fmt.Sprint("u-", id), ID: id, SchemaID: 2,
		BaseManifestList: "manifest-list-b", BaseManifestListSize: 10, DeltaManifestList: "manifest-list-d", DeltaManifestListSize: 20,
		ChangelogManifestList: "manifest-list-c", ChangelogListSize: 30, IndexManifest: "index-manifest-i",
		CommitUser: "user <&>", WriterVersion: "lakesql-1", CommitIdentifier: snapshot.BatchIdentifier, CommitKind: snapshot.Append,
		TimeMillis: int64(id) * 1000, TotalRecordCount: 3, DeltaRecordCount: -1, ChangelogRecordCount: 4, Statistics: "stat-s",
		Properties: map[string]string{"k": "v"}, NextRowID: 0, Operation: snapshot.OpWrite,
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(full(1).Encode())
	for name, c := range map[string]struct{ data, want string }{
		"empty":         {"", "JSON"},
		"cut":           {good[:100], "JSON"},
		"twice":         {good + good, "follows"},
		"array":         {"[]", "JSON"},
		"version":       {strings.Replace(good, `"version": 3`, `"version": 4`, 1), "version 4"},
		"kind":          {strings.Replace(good, "APPEND", "SHRED", 1), "SHRED"},
		"no id":         {strings.Replace(good, `"id": 1,`, "", 1), `"id"`},
		"null list":     {strings.Replace(good, `"manifest-list-b"`, "null", 1), "baseManifestList"},
		"zero id":       {strings.Replace(good, `"id": 1,`, `"id": 0,`, 1), "positive"},
		"escaping list": {strings.Replace(good, "manifest-list-d", "../manifest-list-d", 1), "file name"},
	} {
		if _, err := snapshot.Decode([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s, err := snapshot.Decode([]byte(strings.Replace(good, `"version": 3,`, "", 1))); err != nil || s.Version != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// filled is a table with snapshots from to to, and what the LATEST file says.
func filled(t *testing.T, from, to snapshot.ID, hint string) (*mem.Store, *snapshot.Manager) {
	t.Helper()
	store := mem.New(nil)
	for id := from; id <= to; id++ {
		if err := store.CreateIfAbsent(t.Context(), snapshot.PathIn(dir, id), full(id).Encode()); err != nil {
			t.Fatal(err)
		}
	}
	if hint != "" {
		for _, name := range []string{"LATEST", "EARLIEST"} {
			if err := store.Replace(t.Context(), dir+"/snapshot/"+name, []byte(hint)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{".snapshot-99.x.tmp", "snapshot-99f.tmp", "snapshot-", "snapshot-+9", "snapshot-09", "README"} {
		if err := store.Replace(t.Context(), dir+"/snapshot/"+name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	return store, snapshot.New(store, dir)
}

func TestPointerFiles(t *testing.T) {
	for _, hint := range []string{"", "5", "3", "7", "4", "garbage", "-3", "9223372036854775807", "99999999999999999999999", " 5", "0"} {
		_, m := filled(t, 3, 5, hint)
		latest, err := m.Latest(t.Context())
		if err != nil || latest.ID != 5 {
			t.Errorf("hint %q: latest %+v, %v", hint, latest, err)
		}
		earliest, err := m.Earliest(t.Context())
		if err != nil || (earliest.ID != 3 && fmt.Sprint(earliest.ID) != hint) {
			t.Errorf("hint %q: earliest %+v, %v", hint, earliest, err)
		}
	}
	_, m := filled(t, 1, 0, "8")
	for _, look := range []func(context.Context) (*snapshot.Snapshot, error){m.Latest, m.Earliest} {
		if s, err := look(t.Context()); s != nil || err != nil {
			t.Fatalf("an empty table has %+v, %v", s, err)
		}
	}
}

// TestLatestFollows sees what others publish, roll back, and put in its place.
func TestLatestFollows(t *testing.T) {
	store, m := filled(t, 1, 3, "3")
	want := func(id snapshot.ID, uuid string) {
		t.Helper()
		s, err := m.Latest(t.Context())
		if err != nil || s.ID != id || s.UUID != uuid {
			t.Fatalf("latest is %+v, %v; want %d %s", s, err, id, uuid)
		}
	}
	want(3, "u-3")
	for id := snapshot.ID(4); id <= 90; id++ {
		if err := store.CreateIfAbsent(t.Context(), snapshot.PathIn(dir, id), full(id).Encode()); err != nil {
			t.Fatal(err)
		}
		if id == 4 || id == 6 {
			want(id, fmt.Sprint("u-", id))
		}
	}
	want(90, "u-90")
	for id := snapshot.ID(90); id > 2; id-- { // rolled back to 2
		if err := store.Delete(t.Context(), snapshot.PathIn(dir, id)); err != nil {
			t.Fatal(err)
		}
	}
	want(2, "u-2")
	other := full(2)
	other.UUID = "other"
	if err := store.Replace(t.Context(), snapshot.PathIn(dir, 2), other.Encode()); err != nil {
		t.Fatal(err)
	}
	want(2, "other")
	if s, err := m.Get(t.Context(), 2); err != nil || s.UUID != "other" {
		t.Fatalf("%+v, %v", s, err)
	}
}

// TestLatestCost holds the line on the files that one look takes: no listing,
// however many snapshots there are.
func TestLatestCost(t *testing.T) {
	store, _ := filled(t, 1, 500, "500")
	counted := fault.Wrap(store)
	m := snapshot.New(counted, dir)
	for range 3 {
		counted.SetRule(nil)
		if _, err := m.Latest(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, op := range counted.Log() {
			if op.Kind == fault.List {
				t.Fatal("it listed the folder")
			}
		}
	}
	if n := counted.Count(); n > 3 { // a successor that is not there, and the file itself
		t.Fatalf("%d operations: %v", n, counted.Log())
	}
}

func TestGet(t *testing.T) {
	store, m := filled(t, 3, 5, "")
	for id, want := range map[snapshot.ID]error{2: snapshot.ErrExpired, 6: snapshot.ErrNotFound, 0: snapshot.ErrNotFound, -1: snapshot.ErrNotFound} {
		if _, err := m.Get(t.Context(), id); !errors.Is(err, want) || (want == snapshot.ErrNotFound && errors.Is(err, snapshot.ErrExpired)) {
			t.Errorf("snapshot %d: %v", id, err)
		}
	}
	for _, bad := range []string{"", `{"version":`, string(full(9).Encode())} {
		if err := store.Replace(t.Context(), snapshot.PathIn(dir, 4), []byte(bad)); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Get(t.Context(), 4); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), "snapshot-4") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestPartialFile is a snapshot that its writer is still writing.
func TestPartialFile(t *testing.T) {
	store, _ := filled(t, 1, 1, "")
	if err := store.Replace(t.Context(), snapshot.PathIn(dir, 2), full(2).Encode()[:50]); err != nil {
		t.Fatal(err)
	}
	looks := 0
	slow := fault.Wrap(store)
	slow.SetRule(func(o fault.Op) fault.Outcome {
		if o.Kind == fault.Open && o.Path == snapshot.PathIn(dir, 2) {
			if looks++; looks == 3 {
				if err := store.Replace(t.Context(), o.Path, full(2).Encode()); err != nil {
					t.Error(err)
				}
			}
		}
		return fault.Outcome{}
	})
	if s, err := snapshot.New(slow, dir).Latest(t.Context()); err != nil || s.ID != 2 {
		t.Fatalf("%+v, %v after %d looks", s, err, looks)
	}
}

func TestTimeTravel(t *testing.T) {
	store, m := filled(t, 3, 30, "")
	for _, id := range []snapshot.ID{7, 8, 20} {
		if err := store.Delete(t.Context(), snapshot.PathIn(dir, id)); err != nil {
			t.Fatal(err)
		}
	}
	for millis, want := range map[int64]snapshot.ID{
		2999: 0, 3000: 3, 6999: 6, 8500: 6, 9000: 9, 29_999: 29, 30_000: 30, math.MaxInt64: 30,
	} {
		at, err := m.AtOrBefore(t.Context(), millis)
		if err != nil || idOf(at) != want {
			t.Errorf("at %d: %+v, %v", millis, at, err)
		}
	}
}

func idOf(s *snapshot.Snapshot) snapshot.ID {
	if s == nil {
		return 0
	}
	return s.ID
}

func TestTags(t *testing.T) {
	store, m := filled(t, 1, 3, "")
	ctx := t.Context()
	made := time.Date(2026, 11, 29, 18, 57, 19, 809479931, time.UTC)
	tags := []snapshot.Tag{
		{Name: "late", Snapshot: full(3), Created: made, Retained: 36*time.Hour + 5*time.Nanosecond},
		{Name: "odd name-1.0", Snapshot: full(1), Retained: snapshot.Forever},
		{Name: "a", Snapshot: full(1), Created: made, Retained: 0},
	}
	for _, tag := range tags {
		if err := m.CreateTag(ctx, tag); err != nil {
			t.Fatal(err)
		}
		if err := m.CreateTag(ctx, tag); !errors.Is(err, snapshot.ErrTagExists) {
			t.Fatal(err)
		}
		got, err := m.Tag(ctx, tag.Name)
		if err != nil || !reflect.DeepEqual(*got, tag) {
			t.Fatalf("%+v, %v\nwant %+v", got, err, tag)
		}
	}
	list, err := m.ListTags(ctx)
	if err != nil || len(list) != 3 || list[0].Name != "a" || list[1].Name != "odd name-1.0" || list[2].Name != "late" {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, name := range []string{"", " ", "12", "a/b", "a\nb"} {
		if err := m.CreateTag(ctx, snapshot.Tag{Name: name, Snapshot: full(1)}); err == nil {
			t.Errorf("tag name %q passed", name)
		}
	}
	if err := m.DeleteTag(ctx, "late"); err != nil {
		t.Fatal(err)
	}
	if err := m.DeleteTag(ctx, "late"); !errors.Is(err, snapshot.ErrTagNotFound) {
		t.Fatal(err)
	}
	if err := store.Replace(ctx, dir+"/tag/tag-a", []byte("{")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.ListTags(ctx); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), "tag-a") {
		t.Fatal(err)
	}

	data, err := os.ReadFile("testdata/tag-java-2.0")
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"": "", "[ 2026, 11, 29, 18, 57, 19, 809479931 ]": "[2026,11,29,0,0]"} {
		if err := store.Replace(ctx, dir+"/tag/tag-a", []byte(strings.Replace(string(data), from, to, 1))); err != nil {
			t.Fatal(err)
		}
		got, err := m.Tag(ctx, "a")
		if err != nil || got.Retained != 365*24*time.Hour || got.Created.Day() != 29 || (to == "") != (got.Created.Hour() == 18) {
			t.Fatalf("%+v, %v", got, err)
		}
	}
}

func TestPins(t *testing.T) {
	_, m := filled(t, 1, 9, "")
	_, release, err := m.PinLatest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lowest := func() snapshot.ID {
		floor, done := m.Retire(math.MaxInt64)
		done()
		return floor
	}
	if lowest() != 9 {
		t.Fatal(lowest())
	}
	early, err := m.Pin(4)
	if err != nil {
		t.Fatal(err)
	}
	floor, done := m.Retire(7)
	if floor != 4 {
		t.Fatal(floor)
	}
	if _, err := m.Pin(3); !errors.Is(err, snapshot.ErrExpired) {
		t.Fatal(err)
	}
	if again, err := m.Pin(4); err != nil {
		t.Fatal(err)
	} else {
		again()
	}
	done()
	done()
	if again, err := m.Pin(3); err != nil {
		t.Fatal(err)
	} else {
		again()
	}
	early()
	release()
	if lowest() != math.MaxInt64 {
		t.Fatal(lowest())
	}
}

func TestConsumers(t *testing.T) {
	store, m := filled(t, 1, 2, "")
	if low, err := m.LowestConsumer(t.Context()); err != nil || low != math.MaxInt64 {
		t.Fatal(low, err)
	}
	for name, content := range map[string]string{"consumer-b": `{ "nextSnapshot" : 5 }`, "consumer-a": `{"nextSnapshot":3,"pending":{}}`, ".x.tmp": ""} {
		if err := store.Replace(t.Context(), dir+"/consumer/"+name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := m.Consumers(t.Context())
	names := []string{}
	for _, c := range all {
		names = append(names, fmt.Sprint(c.Name, "@", c.Next))
	}
	if err != nil || !slices.Equal(names, []string{"a@3", "b@5"}) {
		t.Fatal(names, err)
	}
}

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := snapshot.Decode(data)
		if err != nil {
			return
		}
		back, err := snapshot.Decode(s.Encode())
		if err != nil || !back.SameCommit(s) {
			t.Fatalf("%+v, %v", back, err)
		}
	})
}
