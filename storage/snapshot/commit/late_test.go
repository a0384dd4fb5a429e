package commit_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// TestIdOfAnExpiredSnapshot is a writer that stands still in the middle of a commit
// while others publish snapshots and expire them again: the id that it is about to
// use is free once more, far behind the newest snapshot.
func TestIdOfAnExpiredSnapshot(t *testing.T) {
	for name, c := range map[string]struct {
		expire []snapshot.ID // while ours stands still, of 1 to 4
		after  bool          // ours stands still behind its publication, not before it
		lost   bool          // the acknowledgement of the publication is
		want   snapshot.ID   // of our snapshot
	}{
		"expired with its successor":                 {expire: []snapshot.ID{1, 2, 3}, want: 5},
		"expired alone":                              {expire: []snapshot.ID{1, 2}, want: 5},
		"expired with its successor, unacknowledged": {expire: []snapshot.ID{1, 2, 3}, lost: true, want: 5},
		"expired alone, unacknowledged":              {expire: []snapshot.ID{1, 2}, lost: true, want: 5},
		"base expired afterwards":                    {expire: []snapshot.ID{1}, after: true, want: 2},
		"all expired afterwards":                     {expire: []snapshot.ID{1, 2}, after: true, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			disk := mem.New(nil)
			f := fault.Wrap(disk)
			ours, theirs := open(f), open(disk)
			if _, err := ours.insert(t.Context(), "a.x"); err != nil {
				t.Fatal(err)
			}
			done, published := false, false
			f.SetRule(func(op fault.Op) fault.Outcome {
				isOurs := strings.HasSuffix(op.Path, "/snapshot-2")
				if !done && (!c.after && op.Kind == fault.CreateIfAbsent && isOurs || c.after && published) {
					done = true
					names := []string{"b.x", "c.x", "d.x"}
					if c.after {
						names = names[:2]
					}
					for _, n := range names {
						if _, err := theirs.insert(t.Context(), n); err != nil {
							t.Error(err)
						}
					}
					for _, id := range c.expire {
						if err := theirs.snapshots.Remove(t.Context(), id); err != nil {
							t.Error(err)
						}
					}
				}
				if op.Kind == fault.CreateIfAbsent && isOurs {
					published = true
					if c.lost {
						return fault.Outcome{After: fault.ErrInjected}
					}
				}
				return fault.Outcome{}
			})
			res, err := ours.insert(t.Context(), "ours.x")
			if err != nil {
				t.Fatal(err)
			}
			if !done {
				t.Fatal("nothing happened in between")
			}
			if n := len(res.Snapshots); n != 1 || res.Snapshots[0].ID != c.want {
				t.Errorf("published %d snapshots, want snapshot %d: %+v", n, c.want, res.Snapshots)
			}
			want := "a.x@0 b.x@0 c.x@0 d.x@0 ours.x@0"
			if c.after {
				want = "a.x@0 b.x@0 c.x@0 ours.x@0"
			}
			wantState(t, ours, want)
			wantState(t, open(disk), want)
			ids, err := theirs.snapshots.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < len(ids); i++ {
				if ids[i] != ids[i-1]+1 {
					t.Errorf("snapshots %v have a gap", ids)
				}
			}
		})
	}
}

// TestWinnerExpiresBeforeItIsSeen: another commit has the id, and has expired when
// ours looks at who it was.
func TestWinnerExpiresBeforeItIsSeen(t *testing.T) {
	disk := mem.New(nil)
	f := fault.Wrap(disk)
	ours, theirs := open(f), open(disk)
	if _, err := ours.insert(t.Context(), "a.x"); err != nil {
		t.Fatal(err)
	}
	step := 0
	f.SetRule(func(op fault.Op) fault.Outcome {
		isOurs := strings.HasSuffix(op.Path, "/snapshot-2")
		var names []string
		switch {
		case step == 0 && op.Kind == fault.CreateIfAbsent && isOurs:
			step, names = 1, []string{"b.x"}
		case step == 1 && op.Kind == fault.Open && isOurs:
			step, names = 2, []string{"c.x"}
		}
		for _, n := range names {
			if _, err := theirs.insert(t.Context(), n); err != nil {
				t.Error(err)
			}
		}
		if step == 2 {
			step = 3
			for _, id := range []snapshot.ID{1, 2} {
				if err := theirs.snapshots.Remove(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
		}
		return fault.Outcome{}
	})
	res, err := ours.insert(t.Context(), "ours.x")
	if err != nil || len(res.Snapshots) != 1 || res.Snapshots[0].ID != 4 || step != 3 {
		t.Fatalf("%+v, %v after step %d", res, err, step)
	}
	wantState(t, ours, "a.x@0 b.x@0 c.x@0 ours.x@0")
}

// TestBaseExpiresUnderACommit: the snapshot that a commit builds on is removed with
// its manifests while it is read; the commit begins again from the newest.
func TestBaseExpiresUnderACommit(t *testing.T) {
	disk := mem.New(nil)
	f := fault.Wrap(disk)
	ours, theirs := open(f), open(disk)
	first, err := ours.insert(t.Context(), "a.x")
	if err != nil {
		t.Fatal(err)
	}
	done := false
	f.SetRule(func(op fault.Op) fault.Outcome {
		if !done && op.Kind == fault.Open && strings.Contains(op.Path, "/manifest-list-") {
			done = true
			if _, err := theirs.insert(t.Context(), "b.x"); err != nil {
				t.Error(err)
			}
			if err := theirs.snapshots.Remove(t.Context(), 1); err != nil {
				t.Error(err)
			}
			for _, list := range []string{first.Snapshots[0].BaseManifestList, first.Snapshots[0].DeltaManifestList} {
				if err := theirs.files.Delete(t.Context(), list); err != nil {
					t.Error(err)
				}
			}
		}
		return fault.Outcome{}
	})
	if _, err := ours.insert(t.Context(), "ours.x"); err != nil {
		t.Fatal(err)
	}
	if !done {
		t.Fatal("nothing happened in between")
	}
	wantState(t, ours, "a.x@0 b.x@0 ours.x@0")
}

// TestManifestsExpireUnderAMerge: the same, while the manifests of the base are merged.
func TestManifestsExpireUnderAMerge(t *testing.T) {
	disk := mem.New(nil)
	f := fault.Wrap(disk)
	ours, theirs := open(f), open(disk)
	var want []string
	insert := func(tab *table, name string) {
		t.Helper()
		if _, err := tab.insert(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		want = append(want, name+"@0")
	}
	const merged = 4 // as many as are merged here
	for i := range merged {
		insert(ours, fmt.Sprintf("a%02d.x", i))
	}
	var once sync.Once
	done := false
	f.SetRule(func(op fault.Op) fault.Outcome {
		if op.Kind != fault.Open || !strings.Contains(op.Path, "/manifest/manifest-") || strings.Contains(op.Path, "-list-") {
			return fault.Outcome{}
		}
		once.Do(func() { // manifests are read side by side
			done = true
			insert(theirs, "b.x") // merges, and expires what was merged
			for id := range snapshot.ID(merged) {
				if err := theirs.snapshots.Remove(t.Context(), id+1); err != nil {
					t.Error(err)
				}
			}
			if err := disk.Delete(t.Context(), op.Path); err != nil {
				t.Error(err)
			}
		})
		return fault.Outcome{}
	})
	insert(ours, "ours.x")
	if !done {
		t.Fatal("nothing was merged")
	}
	wantState(t, ours, strings.Join(want, " "))
}
