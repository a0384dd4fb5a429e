package snapshot_test

import (
	"os"
	"testing"

	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// FuzzTag reads any bytes as the file of a tag, alone and among the others, and writes
// back what it could read.
func FuzzTag(f *testing.F) {
	data, err := os.ReadFile("testdata/tag-java-2.0")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":3,"id":1,"tagCreateTime":[2026,11,29,10,0],"tagTimeRetained":86400.000000000}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := mem.New(nil)
		if err := store.Replace(t.Context(), "/t/tag/tag-x", data); err != nil {
			t.Fatal(err)
		}
		m := snapshot.New(store, "/t")
		_, listErr := m.ListTags(t.Context())
		tag, err := m.Tag(t.Context(), "x")
		if (err == nil) != (listErr == nil) {
			t.Fatalf("alone %v, among others %v", err, listErr)
		}
		if err != nil {
			return
		}
		if err := m.DeleteTag(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if err := m.CreateTag(t.Context(), *tag); err != nil {
			t.Fatal(err)
		}
		back, err := m.Tag(t.Context(), "x")
		if err != nil || !back.Snapshot.SameCommit(tag.Snapshot) || back.Retained != tag.Retained || !back.Created.Equal(tag.Created) {
			t.Fatalf("%+v came back as %+v, %v", tag, back, err)
		}
	})
}

// FuzzSmallFiles reads any bytes as a pointer file and as the file of a consumer. A
// pointer file may hold anything and the newest snapshot is found.
func FuzzSmallFiles(f *testing.F) {
	for _, s := range []string{"1", "", "99", "9223372036854775808", `{"nextSnapshot":4}`, `{"nextSnapshot" : 1e3}`, "[]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		store := mem.New(nil)
		if err := store.CreateIfAbsent(t.Context(), snapshot.PathIn("/t", 1), full(1).Encode()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"/t/snapshot/LATEST", "/t/snapshot/EARLIEST", "/t/consumer/consumer-c"} {
			if err := store.Replace(t.Context(), name, data); err != nil {
				t.Fatal(err)
			}
		}
		m := snapshot.New(store, "/t")
		latest, err := m.Latest(t.Context())
		if err != nil || latest == nil || latest.ID != 1 {
			t.Fatalf("latest %+v, %v", latest, err)
		}
		first, err := m.Earliest(t.Context())
		if err != nil || first == nil || first.ID != 1 {
			t.Fatalf("earliest %+v, %v", first, err)
		}
		if all, err := m.Consumers(t.Context()); err == nil && (len(all) != 1 || all[0].Next < 1) {
			t.Fatalf("consumers %v", all)
		}
	})
}
