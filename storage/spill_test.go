package storage_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/storage"
)

// A statement larger than its buffer goes to files before it is published. What
// others publish meanwhile is older than it, however often it spilled before.
func TestStatementLargerThanMemory(t *testing.T) {
	const rows, batch = 60_000, 3000
	for _, options := range []map[string]string{{"bucket": "1"}, {"bucket": "3"}, {"bucket": "-1", "dynamic-bucket.target-row-num": "20000"}} {
		options["write-buffer-size"] = "1 mb"
		env := newEnv(t)
		tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(options))
		if err != nil {
			t.Fatal(err)
		}
		text := func(k int32, round int) string {
			return fmt.Sprintf("value %d of round %d, long enough to count", k, round)
		}
		write := func(round int, between func(i int)) error {
			v, err := tb.View(t.Context(), storage.ViewOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			w := v.Write(storage.WriteOptions{})
			for i := 0; i < rows; i += batch {
				var part []rec
				for k := i; k < i+batch; k++ {
					part = append(part, rec{k: int32(k * 7 % rows), v: text(int32(k*7%rows), round)})
				}
				if err := add(t.Context(), w, part...); err != nil {
					t.Fatal(err)
				}
				if between != nil {
					between(i)
				}
			}
			_, err = w.Commit(t.Context())
			return err
		}
		if err := write(1, nil); err != nil {
			t.Fatal(err)
		}
		err = write(2, func(i int) {
			if i == batch*10 { // another statement on a key that has been spilled
				put(t, tb, rec{k: 7, v: "overtaken"})
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		got := get(t, tb, storage.ViewOptions{}, storage.ScanOptions{})
		if len(got) != rows {
			t.Fatalf("%v: %d rows, want %d", options, len(got), rows)
		}
		for k, r := range got {
			if r.k != int32(k) || r.v != text(r.k, 2) {
				t.Fatalf("%v: row %d is %v", options, k, r)
			}
		}
		v, err := tb.View(t.Context(), storage.ViewOptions{})
		if err != nil {
			t.Fatal(err)
		}
		files, err := v.Files(t.Context())
		v.Close()
		if err != nil || len(files) < 6 {
			t.Errorf("%v: %d files, %v: the statements have not spilled", options, len(files), err)
		}
	}
}

// A statement that is given up leaves none of the files that it has spilled.
func TestSpilledFilesOfAnAbortedStatementAreRemoved(t *testing.T) {
	env := newEnv(t)
	tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(map[string]string{"bucket": "1", "write-buffer-size": "1 mb"}))
	if err != nil {
		t.Fatal(err)
	}
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	w := v.Write(storage.WriteOptions{})
	var many []rec
	for k := range int32(50_000) {
		many = append(many, rec{k: k, v: fmt.Sprintf("some text that takes room %d", k)})
	}
	for part := range slices.Chunk(many, 5000) {
		if err := add(t.Context(), w, part...); err != nil {
			t.Fatal(err)
		}
	}
	list := func() int {
		infos, err := env.Store.List(t.Context(), "/wh/default.db/t/bucket-0")
		if err != nil {
			t.Fatal(err)
		}
		return len(infos)
	}
	if list() == 0 {
		t.Error("the statement has not spilled")
	}
	w.Abort()
	if n := list(); n != 0 {
		t.Errorf("%d files are left", n)
	}
}
