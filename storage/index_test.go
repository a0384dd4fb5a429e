package storage_test

import (
	"slices"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// A bloom filter rules files out, and never a row that matches.
func TestBloomFilterPrunesFiles(t *testing.T) {
	tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", kv(map[string]string{
		"bucket": "1", "file-index.bloom-filter.columns": "v", "file-index.in-manifest-threshold": "90 b",
	}))
	if err != nil {
		t.Fatal(err)
	}
	put(t, tb, rec{k: 5000, v: "a"}, rec{k: 5001, v: "z"}) // its index fits into the manifest
	var many []rec
	for i := range int32(1000) {
		many = append(many, rec{k: 10_000 + i, v: "x" + string('a'+i%26) + string('a'+i/26)})
	}
	put(t, tb, many...) // beside the file
	has := func(v string) []rec {
		f := predicate.Eq(1, types.String(), columnar.StringValue(v))
		return get(t, tb, storage.ViewOptions{}, storage.ScanOptions{Filter: f})
	}
	if rows := has("m"); len(rows) != 0 { // statistics cannot tell m from a to z
		t.Errorf("%d rows of files that cannot hold the value", len(rows))
	}
	if rows := has("z"); !slices.Contains(rows, rec{k: 5001, v: "z"}) {
		t.Errorf("row is lost: %v", rows)
	}
	if rows := has("xba"); !slices.Contains(rows, rec{k: 10_001, v: "xba"}) {
		t.Error("row is lost that an index file beside holds")
	}
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	files, err := v.Files(t.Context())
	if err != nil || len(files) != 2 || files[0].EmbeddedIndex == nil || len(files[1].ExtraFiles) != 1 {
		t.Errorf("indexes are not where they belong: %v", err)
	}
	if _, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/u", kv(map[string]string{"file-index.bloom-filter.columns": "nope"})); err == nil {
		t.Error("an index on a column that does not exist passes")
	}
}

// A compaction in two steps leaves no file of the first one behind, nor its index.
func TestStepsOfACompactionLeaveNothingBehind(t *testing.T) {
	env := newEnv(t)
	tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(map[string]string{
		"bucket": "1", "file-index.bloom-filter.columns": "v", "file-index.in-manifest-threshold": "1 b", "num-levels": "4",
		"num-sorted-run.compaction-trigger": "1", "compaction.max-size-amplification-percent": "100000", "compaction.size-ratio": "50",
		"write-only": "true", // nothing expires by itself
	}))
	if err != nil {
		t.Fatal(err)
	}
	var many []rec
	for i := range int32(5000) {
		many = append(many, rec{k: i, v: "x" + string('a'+i%26) + string('a'+i/200)})
	}
	put(t, tb, many...)
	if _, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil {
		t.Fatal(err)
	}
	put(t, tb, rec{k: 1, v: "one"})
	put(t, tb, rec{k: 2, v: "two"})
	if _, err := tb.Compact(t.Context(), storage.CompactOptions{}); err != nil {
		t.Fatal(err)
	}
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	live, err := v.Files(t.Context())
	if err != nil || len(live) != 1 || live[0].Level != 3 || len(live[0].ExtraFiles) != 1 {
		t.Fatalf("%+v, %v", live, err)
	}
	there, err := env.Store.List(t.Context(), "/wh/default.db/t/bucket-0")
	if err != nil || len(there) != 8 { // of the three inserts and of the last step, each with its index
		t.Errorf("%d files: %+v, %v", len(there), there, err)
	}
}
