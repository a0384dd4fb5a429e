package expire_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
)

// clock is the time at which files are made.
type clock struct{ now time.Time }

var day = 24 * time.Hour

// littered is a table with a tag, a branch, a separate changelog and expired
// snapshots, and files that nobody names: old ones and young ones.
func littered(t *testing.T) (disk *mem.Store, old, young []string) {
	t.Helper()
	c := &clock{now: time.UnixMilli(0).Add(10 * day)}
	disk = mem.New(func() time.Time { return c.now })
	tab := open(t, disk)
	history(t, tab)
	for _, id := range []snapshot.ID{1, 2, 4} {
		s, err := tab.config.Snapshots.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		data, err := fileio.ReadFile(t.Context(), disk, tab.config.Snapshots.Path(id))
		if err != nil {
			t.Fatal(err)
		}
		switch id {
		case 1: // a changelog that outlives its snapshot, with a list of its own
			list, lerr := fileio.ReadFile(t.Context(), disk, dir+"/manifest/"+s.DeltaManifestList)
			if lerr != nil {
				t.Fatal(lerr)
			}
			if err = disk.Replace(t.Context(), dir+"/manifest/manifest-list-changes", list); err != nil {
				t.Fatal(err)
			}
			var members map[string]any
			if err = json.Unmarshal(data, &members); err != nil {
				t.Fatal(err)
			}
			members["changelogManifestList"], members["changelogManifestListSize"] = "manifest-list-changes", len(list)
			if data, err = json.Marshal(members); err == nil {
				err = disk.Replace(t.Context(), dir+"/changelog/changelog-1", data)
			}
		case 2:
			err = tab.config.Snapshots.CreateTag(t.Context(), snapshot.Tag{Name: "two", Snapshot: s, Retained: snapshot.Forever})
		case 4:
			err = disk.Replace(t.Context(), dir+"/branch/branch-b/snapshot/snapshot-4", data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	litter := []string{
		"/bucket-0/orphan", "/bucket-7/gone", "/bucket-postpone/orphan", "/manifest/manifest-none", "/index/index-none", "/statistics/stat-none",
		"/snapshot/.snapshot-9.x.tmp", "/changelog/.x.tmp", "/branch/branch-b/snapshot/junk",
	}
	for i, name := range litter {
		for _, age := range []string{"", "-young"} {
			if age == "" {
				c.now = time.UnixMilli(0).Add(10 * day)
				old = append(old, dir+name)
			} else {
				c.now = time.UnixMilli(0).Add(20 * day)
				young = append(young, dir+name+age)
			}
			if err := disk.Replace(t.Context(), dir+litter[i]+age, []byte("junk!")); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.now = time.UnixMilli(0).Add(10 * day)
	// What is none of ours, and files that are named by files alone.
	for _, name := range []string{
		"/notes.txt", "/photos/bucket-0/a", "/schema/schema-0", "/tag/tag-other.tmp", "/consumer/x", "/bucket-0/sub/file", "/bucket-0/x.managed.blob",
	} {
		if err := disk.Replace(t.Context(), dir+name, []byte("keep")); err != nil {
			t.Fatal(err)
		}
	}
	held, err := tab.config.Snapshots.Get(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	tab.config.Held = func(context.Context) ([]*snapshot.Snapshot, error) { return []*snapshot.Snapshot{held}, nil }
	if _, err := expire.Expire(t.Context(), tab.config, expire.Options{RetainMax: 2}); err != nil {
		t.Fatal(err)
	}
	return disk, old, young
}

func without(all, gone []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool { return slices.Contains(gone, p) })
}

func TestOrphans(t *testing.T) {
	disk, old, young := littered(t)
	tab := open(t, disk)
	before := disk.Paths()
	o := expire.OrphanOptions{OlderThan: time.UnixMilli(0).Add(15 * day), DryRun: true}
	want := expire.Orphans{Files: int64(len(old)), SizeBytes: int64(5 * len(old))}
	n, err := expire.RemoveOrphans(t.Context(), tab.config, o)
	if err != nil || n != want || !slices.Equal(disk.Paths(), before) {
		t.Fatalf("a dry run: %+v, %v, %v gone", n, err, without(before, disk.Paths()))
	}
	o.DryRun = false
	if n, err = expire.RemoveOrphans(t.Context(), tab.config, o); err != nil || n != want {
		t.Fatalf("%+v, %v, want %+v", n, err, want)
	}
	if got, want := disk.Paths(), without(before, old); !slices.Equal(got, want) {
		t.Fatalf("gone: %v\nstayed: %v", without(want, got), without(got, want))
	}
	tab.verify(t)
	if n, err = expire.RemoveOrphans(t.Context(), tab.config, o); err != nil || n != (expire.Orphans{}) {
		t.Fatalf("once more: %+v, %v", n, err)
	}
	o.OlderThan = time.UnixMilli(0).Add(30 * day)
	if n, err = expire.RemoveOrphans(t.Context(), tab.config, o); err != nil || n.Files != int64(len(young)) {
		t.Fatalf("%+v, %v, want %d files", n, err, len(young))
	}
	// The changelog and the branch read in full.
	data, err := fileio.ReadFile(t.Context(), disk, dir+"/branch/branch-b/snapshot/snapshot-4")
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.config.Manifests.Metas(t.Context(), s); err != nil {
		t.Error(err)
	}
	metas, err := tab.config.Manifests.List(t.Context(), "manifest-list-changes", -1)
	if err != nil || len(metas) != 1 {
		t.Fatal(metas, err)
	}
	if _, err := tab.config.Manifests.Entries(t.Context(), metas[0].Name, metas[0].SizeBytes); err != nil {
		t.Error(err)
	}
	tab.commit(t, "+zz")
	tab.verify(t)
}

// What cannot be read may name any file: then none goes.
func TestOrphansOfADamagedTable(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, disk *mem.Store, tab *table) error{
		"manifest list missing": func(t *testing.T, disk *mem.Store, tab *table) error {
			s, err := tab.config.Snapshots.Latest(t.Context())
			if err != nil {
				return err
			}
			return disk.Delete(t.Context(), dir+"/manifest/"+s.BaseManifestList)
		},
		"snapshot damaged": func(t *testing.T, disk *mem.Store, tab *table) error {
			return disk.Replace(t.Context(), tab.config.Snapshots.Path(7), []byte(`{"ver`))
		},
		"tag damaged": func(t *testing.T, disk *mem.Store, _ *table) error {
			return disk.Replace(t.Context(), dir+"/tag/tag-two", []byte(`{}`))
		},
		"changelog damaged": func(t *testing.T, disk *mem.Store, _ *table) error {
			return disk.Replace(t.Context(), dir+"/changelog/changelog-1", []byte(`x`))
		},
		"branch damaged": func(t *testing.T, disk *mem.Store, _ *table) error {
			return disk.Replace(t.Context(), dir+"/branch/branch-b/snapshot/snapshot-4", []byte(`x`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk, _, _ := littered(t)
			if err := damage(t, disk, open(t, disk)); err != nil {
				t.Fatal(err)
			}
			before := disk.Paths()
			n, err := expire.RemoveOrphans(t.Context(), open(t, disk).config, expire.OrphanOptions{OlderThan: time.UnixMilli(0).Add(15 * day)})
			if err == nil || n.Files != 0 || !strings.Contains(err.Error(), "no file was removed") || !slices.Equal(before, disk.Paths()) {
				t.Errorf("%+v, %v, gone %v", n, err, without(before, disk.Paths()))
			}
		})
	}
}

// TestOrphanFaults fails every file operation in turn: whatever is named stays, and
// the next run finishes.
func TestOrphanFaults(t *testing.T) {
	seed, old, _ := littered(t)
	kept := without(seed.Paths(), old)
	o := expire.OrphanOptions{OlderThan: time.UnixMilli(0).Add(15 * day)}
	for name, rule := range map[string]func(int) fault.Rule{"before": fault.FailNth, "after": fault.FailNthAfter, "dead": fault.DieAt} {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				disk := seed.Clone()
				flaky := fault.Wrap(disk)
				tab := open(t, flaky)
				flaky.SetRule(rule(n))
				got, err := expire.RemoveOrphans(t.Context(), tab.config, o)
				done := flaky.Count() < n
				if done && err != nil || err == nil && got.Files != int64(len(old)) {
					t.Fatalf("%s %d: %+v, %v", name, n, got, err)
				}
				open(t, disk).verify(t)
				if lost := without(kept, disk.Paths()); len(lost) > 0 {
					t.Fatalf("%s %d: lost %v", name, n, lost)
				}
				if _, err := expire.RemoveOrphans(t.Context(), open(t, disk).config, o); err != nil {
					t.Fatal(err)
				}
				if left := without(disk.Paths(), kept); len(left) > 0 {
					t.Fatalf("%s %d: left %v", name, n, left)
				}
				if done {
					if n < 30 {
						t.Fatalf("only %d operations", n)
					}
					return
				}
			}
		})
	}
}
