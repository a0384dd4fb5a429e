package expire_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

func TestPlan(t *testing.T) {
	var times []int64
	var earliest int
	datadriven.RunTest(t, "testdata/plan", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "table":
			times, earliest = nil, 0
			for i, a := range d.CmdArgs {
				if a.Key == "-" {
					times = append(times, -1)
					continue
				}
				if earliest == 0 {
					earliest = i + 1
				}
				times = append(times, minutes(t, a.Key))
			}
			return fmt.Sprintf("%d..%d\n", earliest, len(times))
		case "plan":
			tab := expire.Table{
				Earliest: snapshot.ID(earliest), Latest: snapshot.ID(len(times)), Floor: math.MaxInt64,
				TimeMillis: func(id snapshot.ID) (int64, bool) { return times[id-1], times[id-1] >= 0 },
			}
			var o expire.Options
			var now, keep int64
			for _, a := range d.CmdArgs {
				n, _ := strconv.Atoi(a.Vals[0])
				switch a.Key {
				case "min":
					o.RetainMin = n
				case "max":
					o.RetainMax = n
				case "limit":
					o.MaxDeletes = n
				case "floor":
					tab.Floor = snapshot.ID(n)
				case "now":
					now = minutes(t, a.Vals[0])
				case "keep":
					keep = minutes(t, a.Vals[0])
				default:
					t.Fatalf("unknown argument %s", a.Key)
				}
			}
			o.OlderThanMillis = now - keep
			end, err := expire.Plan(tab, o)
			if err != nil {
				return fmt.Sprintf("error: %v\n", err)
			}
			return fmt.Sprintf("%d\n", end)
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
}

func minutes(t *testing.T, text string) int64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(f * 60_000)
}

const dir = "/lake/t"

var intType = []types.Type{types.Of(types.Int)}

func intRow(i int) []byte {
	return row.Serialize(intType, []columnar.Value{columnar.IntValue(int64(i))})
}

// table is an unpartitioned table with one bucket whose data files hold nothing.
type table struct {
	store     fileio.Store
	config    expire.Config
	committer *commit.Committer
	warnings  []string
}

func open(t *testing.T, store fileio.Store) *table {
	t.Helper()
	paths, err := datafile.NewPaths(datafile.PathConfig{TableDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	tab := &table{store: store}
	tab.config = expire.Config{
		Store: store, TableDir: dir, Snapshots: snapshot.New(store, dir), Paths: paths,
		Manifests: manifest.NewFiles(store, dir, manifest.NewCache(-1)),
		Warn:      func(err error) { tab.warnings = append(tab.warnings, err.Error()) },
	}
	now := time.UnixMilli(0)
	tab.committer = commit.New(commit.Config{
		Store: store, Snapshots: tab.config.Snapshots, Manifests: tab.config.Manifests, KeyTypes: intType,
		LatestSchema: func(context.Context) (int64, error) { return 0, nil },
		Now: func() time.Time {
			now = now.Add(time.Minute)
			return now
		},
		Merge: manifest.MergeOptions{MinCount: 3},
	})
	return tab
}

func meta(name string, level int) *datafile.Meta {
	return &datafile.Meta{
		Name: name, SizeBytes: 1, RowCount: 10, MinKey: intRow(1), MaxKey: intRow(9), Level: level, CreationMillis: 1,
		DeleteRowCount: 0, FirstRowID: datafile.Unknown, ValueStatsCols: []string{},
	}
}

// commit publishes a snapshot: words are +name, -name and ^name (moved to level 5).
func (tab *table) commit(t *testing.T, words ...string) {
	t.Helper()
	inc := datafile.Increment{Partition: manifest.EmptyRow(), TotalBuckets: 1}
	for _, w := range words {
		name, level := w[1:], 0
		if strings.HasPrefix(name, "top") {
			level = 5
		}
		switch w[0] {
		case '+':
			for _, suffix := range []string{"", ".index"} {
				if err := fileio.WriteFile(t.Context(), tab.store, fileio.Join(dir, "bucket-0", name+suffix), []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			if err := fileio.Sync(t.Context(), tab.store, []string{fileio.Join(dir, "bucket-0", name), fileio.Join(dir, "bucket-0", name+".index")}); err != nil {
				t.Fatal(err)
			}
			m := meta(name, level)
			m.ExtraFiles = []string{name + ".index"}
			inc.NewFiles = append(inc.NewFiles, m)
		case '-', '^':
			m := meta(name, level)
			m.ExtraFiles = []string{name + ".index"}
			inc.CompactBefore = append(inc.CompactBefore, m)
			if w[0] == '^' {
				up := *m
				up.Level = 5
				inc.CompactAfter = append(inc.CompactAfter, &up)
			}
		}
	}
	r := commit.Request{User: "u", Identifier: 1, Increments: []datafile.Increment{inc}, Rewrite: len(inc.NewFiles) > 0 && len(inc.CompactBefore) > 0}
	res, err := tab.committer.Commit(t.Context(), r)
	if err != nil || len(res.Snapshots) != 1 {
		t.Fatalf("%v: %+v, %v", words, res, err)
	}
}

// verify reads every snapshot and tag, with all files that they name.
func (tab *table) verify(t *testing.T) {
	t.Helper()
	all, err := tab.config.Snapshots.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tags, err := tab.config.Snapshots.ListTags(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range tags {
		all = append(all, tag.Snapshot)
	}
	for _, s := range all {
		live, err := tab.config.Manifests.ReadLive(t.Context(), s, manifest.Filter{})
		if err != nil {
			t.Fatalf("snapshot %d: %v", s.ID, err)
		}
		rows := int64(0)
		for _, e := range live {
			rows += e.File.RowCount
			for _, name := range append(e.File.ExtraFiles, e.File.Name) {
				if _, err := fileio.ReadFile(t.Context(), tab.store, fileio.Join(dir, "bucket-0", name)); err != nil {
					t.Fatalf("snapshot %d: %v", s.ID, err)
				}
			}
		}
		if rows != s.TotalRecordCount {
			t.Fatalf("snapshot %d counts %d rows, its files have %d", s.ID, s.TotalRecordCount, rows)
		}
	}
}

func dataFiles(store *mem.Store) string {
	var names []string
	for _, p := range store.Paths() {
		if name, ok := strings.CutPrefix(p, dir+"/bucket-0/"); ok && !strings.HasSuffix(name, ".index") {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func (tab *table) ids(t *testing.T) []snapshot.ID {
	t.Helper()
	ids, err := tab.config.Snapshots.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// history is: two files, folded into top1, a third, a move up, all folded again.
func history(t *testing.T, tab *table) {
	t.Helper()
	tab.commit(t, "+a")          // 1
	tab.commit(t, "+b")          // 2
	tab.commit(t, "-a", "+top1") // 3
	tab.commit(t, "+c")          // 4
	tab.commit(t, "-top1", "-b") // 5
	tab.commit(t, "^c")          // 6
	tab.commit(t, "+d")          // 7
	tab.commit(t, "+e")          // 8
}

func TestExpire(t *testing.T) {
	disk := mem.New(nil)
	tab := open(t, disk)
	history(t, tab)
	s2, err := tab.config.Snapshots.Get(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.config.Snapshots.CreateTag(t.Context(), snapshot.Tag{Name: "two", Snapshot: s2, Retained: snapshot.Forever}); err != nil {
		t.Fatal(err)
	}
	all := len(disk.Paths())

	n, err := expire.Expire(t.Context(), tab.config, expire.Options{RetainMax: 5})
	if err != nil || n != 3 || !slices.Equal(tab.ids(t), []snapshot.ID{4, 5, 6, 7, 8}) {
		t.Fatalf("%d, %v, left %v", n, err, tab.ids(t))
	}
	tab.verify(t)
	// The tag holds a and b; nothing else was given up before snapshot 4.
	if got, want := dataFiles(disk), "a b c d e top1"; got != want {
		t.Fatalf("left %s, want %s", got, want)
	}
	n, err = expire.Expire(t.Context(), tab.config, expire.Options{RetainMax: 1, MaxDeletes: 50})
	if err != nil || n != 4 {
		t.Fatalf("%d, %v", n, err)
	}
	tab.verify(t)
	if got, want := dataFiles(disk), "a b c d e"; got != want {
		t.Fatalf("left %s, want %s", got, want)
	}
	if err := expire.DeleteTag(t.Context(), tab.config, "two"); err != nil {
		t.Fatal(err)
	}
	tab.verify(t)
	if got, want := dataFiles(disk), "c d e"; got != want {
		t.Fatalf("left %s, want %s", got, want)
	}
	if len(tab.warnings) > 0 {
		t.Fatal(tab.warnings)
	}
	// What is left is what the one snapshot needs, and the pointer files.
	s, err := tab.config.Snapshots.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	metas, err := tab.config.Manifests.Metas(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if want := 6 + len(metas) + 2 + 3; len(disk.Paths()) != want {
		t.Fatalf("%d files of %d left, want %d: %v", len(disk.Paths()), all, want, disk.Paths())
	}
	if _, err := tab.config.Snapshots.Get(t.Context(), 3); !errors.Is(err, snapshot.ErrExpired) {
		t.Fatal(err)
	}
	if _, err := tab.config.Snapshots.Get(t.Context(), 99); errors.Is(err, snapshot.ErrExpired) || !errors.Is(err, snapshot.ErrNotFound) {
		t.Fatal(err)
	}
	tab.commit(t, "+f")
	tab.verify(t)
}

// TestMissingSnapshot expires over a snapshot whose file is gone.
func TestMissingSnapshot(t *testing.T) {
	tab := open(t, mem.New(nil))
	for i := range 20 {
		tab.commit(t, fmt.Sprintf("+f%02d", i))
	}
	if err := tab.config.Snapshots.Remove(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	n, err := expire.Expire(t.Context(), tab.config, expire.Options{RetainMax: 2})
	if err != nil || n != 17 || len(tab.ids(t)) != 2 {
		t.Fatalf("%d, %v, left %v", n, err, tab.ids(t))
	}
	tab.verify(t)
	if len(tab.warnings) != 1 || !strings.Contains(tab.warnings[0], "snapshot 7") {
		t.Fatal(tab.warnings)
	}
}

func TestFloors(t *testing.T) {
	disk := mem.New(nil)
	tab := open(t, disk)
	history(t, tab)
	consumer := dir + "/consumer/consumer-c"
	if err := disk.Replace(t.Context(), consumer, []byte(`{"nextSnapshot":4}`)); err != nil {
		t.Fatal(err)
	}
	release, err := tab.config.Snapshots.Pin(3)
	if err != nil {
		t.Fatal(err)
	}
	all := expire.Options{RetainMax: 1}
	if n, err := expire.Expire(t.Context(), tab.config, all); err != nil || n != 2 {
		t.Fatalf("a pin of 3 let %d go, %v", n, err)
	}
	release()
	release()
	if n, err := expire.Expire(t.Context(), tab.config, all); err != nil || n != 1 {
		t.Fatalf("a consumer at 4 let %d more go, %v", n, err)
	}
	if err := disk.Replace(t.Context(), consumer, []byte(`{"next`)); err != nil {
		t.Fatal(err)
	}
	if n, err := expire.Expire(t.Context(), tab.config, all); err == nil || n != 0 || !strings.Contains(err.Error(), consumer) {
		t.Fatalf("a consumer that cannot be read let %d go, %v", n, err)
	}
	tab.verify(t)
}

// TestRevived expires past the deletion of a file that a later overwrite brought back.
func TestRevived(t *testing.T) {
	disk := mem.New(nil)
	tab := open(t, disk)
	tab.commit(t, "+a")
	tab.commit(t, "-a")
	tab.commit(t, "+b")
	r := commit.Request{User: "u", Identifier: 1, Rewrite: true}
	m := meta("a", 0)
	m.ExtraFiles = []string{"a.index"}
	r.Increments = []datafile.Increment{{Partition: manifest.EmptyRow(), TotalBuckets: 1, NewFiles: []*datafile.Meta{m}}}
	// The reference does so when it rolls back to an old state as the newest.
	if _, err := tab.committer.Commit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	tab.config.Memory = &expire.Memory{}
	for range 3 {
		if _, err := expire.Expire(t.Context(), tab.config, expire.Options{RetainMax: 1, MaxDeletes: 1}); err != nil {
			t.Fatal(err)
		}
		tab.verify(t)
	}
	if got := dataFiles(disk); got != "a b" {
		t.Fatal(got)
	}
}

// TestFaults fails every file operation of an expiry in turn; whatever snapshot
// can still be seen, on the live disk and after a power cut, reads in full, and a
// later expiry finishes.
func TestFaults(t *testing.T) {
	for name, rule := range map[string]func(int) fault.Rule{"before": fault.FailNth, "after": fault.FailNthAfter, "dead": fault.DieAt} {
		t.Run(name, func(t *testing.T) {
			seed := mem.New(nil)
			history(t, open(t, seed))
			for n := 1; ; n++ {
				disk := seed.Clone()
				flaky := fault.Wrap(disk)
				tab := open(t, flaky)
				flaky.SetRule(rule(n))
				gone, err := expire.Expire(t.Context(), tab.config, expire.Options{RetainMax: 2})
				done := flaky.Count() < n
				if done && (err != nil || gone != 6) {
					t.Fatalf("%d, %v", gone, err)
				}
				for _, d := range []*mem.Store{disk.Crash(), disk} {
					after := open(t, d)
					after.verify(t)
					if _, err := expire.Expire(t.Context(), after.config, expire.Options{RetainMax: 2}); err != nil {
						t.Fatal(err)
					}
					if ids := after.ids(t); !slices.Equal(ids, []snapshot.ID{7, 8}) {
						t.Fatalf("%s %d: left %v\n%v", name, n, ids, flaky.Log())
					}
					after.verify(t)
					after.commit(t, "+zz")
					after.verify(t)
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
