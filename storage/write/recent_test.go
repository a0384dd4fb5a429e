package write

import "testing"

func keys(b string, hashes ...uint32) *writes {
	w := &writes{}
	w.of(Bucket{Partition: b}).add(hashes)
	return w
}

func TestRecent(t *testing.T) {
	r := newRecent(1000)
	r.add(5, keys("p", 1, 2))
	r.add(6, keys("q", 1))
	r.add(8, keys("p", 9)) // 7 is another writer's
	for _, c := range []struct {
		name         string
		base, latest int64
		w            *writes
		want         bool
	}{
		{"nothing since", 6, 6, keys("p", 1), false},
		{"same key in a later snapshot", 4, 6, keys("p", 2), true},
		{"the key was written before", 5, 6, keys("p", 2), false},
		{"same hash, other partition", 5, 6, keys("q", 2), false},
		{"a snapshot nobody recorded", 6, 8, keys("z", 4), true},
		{"only the snapshot after it", 7, 8, keys("p", 1), false},
		{"base before the record", 2, 6, keys("p", 77), true},
		{"latest beyond the record", 7, 9, keys("p", 77), true},
		{"rolled back below the base", 8, 6, keys("p", 77), true},
	} {
		if got := r.writtenSince(c.base, c.latest, c.w); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRecentIsBounded(t *testing.T) {
	r := newRecent(10)
	for id := int64(1); id < 100; id++ {
		r.add(id, keys("p", uint32(id)))
	}
	if len(r.log) > 5 || r.total > 10 {
		t.Fatalf("%d entries, %d keys remembered", len(r.log), r.total)
	}
	if r.writtenSince(98, 99, keys("p", 98)) {
		t.Error("snapshot 98 wrote the key, not 99")
	}
	if !r.writtenSince(10, 99, keys("q", 1)) {
		t.Error("a base that is forgotten must count as written")
	}
}

func TestKeySetTurnsIntoBucket(t *testing.T) {
	w := &writes{}
	many := make([]uint32, maxKeys+1)
	for i := range many {
		many[i] = uint32(i)
	}
	w.of(Bucket{}).add(many)
	if !w.meets(keys("", 4_000_000)) {
		t.Error("a set above the limit stands for its bucket")
	}
	if w.meets(keys("other", 1)) {
		t.Error("and only for it")
	}
	if e := (&writes{everything: true}); !e.meets(w) || !w.meets(e) {
		t.Error("an overwrite meets every write")
	}
}
