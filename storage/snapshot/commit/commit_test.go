package commit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

var intType = []types.Type{types.Of(types.Int)}

func intRow(i int) []byte {
	return row.Serialize(intType, []columnar.Value{columnar.IntValue(int64(i))})
}

// table is a table of one INT key, partitioned by one INT, whose data files are
// made of a few bytes.
type table struct {
	store     fileio.Store
	snapshots *snapshot.Manager
	files     *manifest.Files
	committer *commit.Committer
}

const dir = "/lake/t"

func dataPath(name string) string { return fileio.Join(dir, "bucket-0", name) }

func open(store fileio.Store) *table { return openAt(store, "") }

// openAt opens the table below a root, with a cache as in earnest if there is one.
func openAt(store fileio.Store, root string) *table {
	cache := manifest.NewCache(-1)
	if root != "" {
		cache = nil
	}
	t := &table{store: store, snapshots: snapshot.New(store, root+dir), files: manifest.NewFiles(store, root+dir, cache)}
	c := commit.Config{
		Store: store, Snapshots: t.snapshots, Manifests: t.files, PartitionTypes: intType, KeyTypes: intType,
		LatestSchema: func(context.Context) (int64, error) { return 0, nil },
		DataFiles: func(inc *datafile.Increment) ([]string, error) {
			var paths []string
			for _, m := range inc.NewFiles {
				paths = append(paths, root+dataPath(m.Name))
			}
			return paths, nil
		},
		MinRetryWait: time.Microsecond, MaxRetryWait: time.Microsecond, Rand: func() float64 { return 0 },
		Merge: manifest.MergeOptions{MinCount: 4},
	}
	if root != "" {
		c.Merge = manifest.MergeOptions{}
	}
	t.committer = commit.New(c)
	return t
}

func meta(name string, level, from, to int) *datafile.Meta {
	return &datafile.Meta{
		Name: name, SizeBytes: 10, RowCount: int64(to - from + 1), MinKey: intRow(from), MaxKey: intRow(to), Level: level,
		CreationMillis: 1, DeleteRowCount: 0, Source: datafile.FromAppend, FirstRowID: datafile.Unknown, ValueStatsCols: []string{},
	}
}

func increment(partition int, files ...*datafile.Meta) datafile.Increment {
	return datafile.Increment{Partition: intRow(partition), Bucket: 0, TotalBuckets: 2, NewFiles: files}
}

// write makes a data file and a request that adds it.
func (t *table) write(ctx context.Context, name string) (commit.Request, error) {
	if err := fileio.WriteFile(ctx, t.store, dataPath(name), []byte("0123456789")); err != nil {
		return commit.Request{}, err
	}
	return commit.Request{
		Increments: []datafile.Increment{increment(1, meta(name, 0, 1, 3))},
		User:       "user-" + name, Identifier: snapshot.BatchIdentifier,
	}, nil
}

func (t *table) insert(ctx context.Context, name string) (commit.Result, error) {
	r, err := t.write(ctx, name)
	if err != nil {
		return commit.Result{}, err
	}
	return t.committer.Commit(ctx, r)
}

// state describes what a table's newest snapshot holds, checking that every file
// it names is there.
func (t *table) state(ctx context.Context) (string, error) {
	s, err := t.snapshots.Latest(ctx)
	if err != nil || s == nil {
		return "none", err
	}
	live, err := t.files.ReadLive(ctx, s, manifest.Filter{})
	if err != nil {
		return "", err
	}
	var names []string
	rows := int64(0)
	for _, e := range live {
		names = append(names, fmt.Sprintf("%s@%d", e.File.Name, e.File.Level))
		rows += e.File.RowCount
		if _, err := fileio.ReadFile(ctx, t.store, dataPath(e.File.Name)); err != nil {
			return "", err
		}
	}
	if rows != s.TotalRecordCount {
		return "", fmt.Errorf("snapshot counts %d rows, its files have %d", s.TotalRecordCount, rows)
	}
	if _, err := t.files.IndexOf(ctx, s); err != nil {
		return "", err
	}
	slices.Sort(names)
	return strings.Join(names, " "), nil
}

func wantState(t *testing.T, tab *table, want string) {
	t.Helper()
	got, err := tab.state(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Fatalf("table holds %q, want %q", got, want)
	}
}

func TestAppendThenCompact(t *testing.T) {
	tab := open(mem.New(nil))
	for i := range 12 { // past the merging of manifests
		if _, err := tab.insert(t.Context(), fmt.Sprintf("f%02d.x", i)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := tab.write(t.Context(), "new.x")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		r.Increments[0].CompactBefore = append(r.Increments[0].CompactBefore, meta(fmt.Sprintf("f%02d.x", i), 0, 1, 3))
	}
	up := meta("new.x", 5, 1, 3)
	up.Source = datafile.FromAppend
	r.Increments[0].CompactBefore = append(r.Increments[0].CompactBefore, r.Increments[0].NewFiles[0])
	r.Increments[0].CompactAfter = []*datafile.Meta{up}
	res, err := tab.committer.Commit(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Snapshots) != 2 || res.Snapshots[0].CommitKind != snapshot.Append || res.Snapshots[1].CommitKind != snapshot.Compact {
		t.Fatalf("%+v", res)
	}
	if s := res.Snapshots[1]; s.ID != 14 || s.TotalRecordCount != 3 || s.DeltaRecordCount != -36 {
		t.Fatalf("%+v", s)
	}
	wantState(t, tab, "new.x@5")

	// The files it replaced are gone for a second compactor, and a second run at
	// the same keys may not join the level.
	again := commit.Request{User: "other", Identifier: 1, Increments: []datafile.Increment{{
		Partition: intRow(1), TotalBuckets: 2, CompactBefore: []*datafile.Meta{meta("f00.x", 0, 1, 3)}, CompactAfter: []*datafile.Meta{meta("c.x", 5, 1, 3)},
	}}}
	if _, err := tab.committer.Commit(t.Context(), again); !errors.Is(err, commit.ErrConflict) || !strings.Contains(err.Error(), "f00.x") {
		t.Fatal(err)
	}
	again.Increments[0].CompactBefore = nil
	if _, err := tab.committer.Commit(t.Context(), again); !errors.Is(err, commit.ErrConflict) || !strings.Contains(err.Error(), "overlap") {
		t.Fatal(err)
	}
	wantState(t, tab, "new.x@5")
}

func TestBucketCountChange(t *testing.T) {
	tab := open(mem.New(nil))
	if _, err := tab.insert(t.Context(), "a.x"); err != nil {
		t.Fatal(err)
	}
	r, err := tab.write(t.Context(), "b.x")
	if err != nil {
		t.Fatal(err)
	}
	r.Increments[0].TotalBuckets = 4
	for _, tab := range []*table{tab, open(tab.store)} { // remembered, and read anew
		if _, err := tab.committer.Commit(t.Context(), r); !errors.Is(err, commit.ErrBuckets) {
			t.Fatal(err)
		}
	}
	r.Overwrite = &commit.Overwrite{Dynamic: true}
	if _, err := tab.committer.Commit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wantState(t, tab, "b.x@0")
	if _, err := tab.insert(t.Context(), "c.x"); !errors.Is(err, commit.ErrBuckets) {
		t.Fatal(err)
	}
}

func TestOverwrite(t *testing.T) {
	tab := open(mem.New(nil))
	for p := range 3 {
		r, err := tab.write(t.Context(), fmt.Sprintf("p%d.x", p))
		if err != nil {
			t.Fatal(err)
		}
		r.Increments[0].Partition = intRow(p)
		if _, err := tab.committer.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	only := func(p int) func([]byte) bool { return func(b []byte) bool { return string(b) == string(intRow(p)) } }
	r, err := tab.write(t.Context(), "n.x")
	if err != nil {
		t.Fatal(err)
	}
	r.Overwrite = &commit.Overwrite{Matches: only(2)}
	if _, err := tab.committer.Commit(t.Context(), r); err == nil {
		t.Fatal("rows outside of the overwritten partition passed")
	}
	r.Overwrite = &commit.Overwrite{Dynamic: true}
	res, err := tab.committer.Commit(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Snapshots[0]; s.CommitKind != snapshot.Overwrite || s.DeltaRecordCount != 0 || s.TotalRecordCount != 9 {
		t.Fatalf("%+v", s)
	}
	wantState(t, tab, "n.x@0 p0.x@0 p2.x@0")
	drop := commit.Request{User: "u", Identifier: 1, Overwrite: &commit.Overwrite{Matches: only(0)}, Operation: snapshot.OpTruncate}
	if _, err := tab.committer.Commit(t.Context(), drop); err != nil {
		t.Fatal(err)
	}
	wantState(t, tab, "n.x@0 p2.x@0")
	if res, err := tab.committer.Commit(t.Context(), drop); err != nil || len(res.Snapshots) != 0 {
		t.Fatalf("an overwrite of nothing made %+v, %v", res, err)
	}
}

func TestCarriedOver(t *testing.T) {
	tab := open(mem.New(nil))
	mark := func(v int64) *int64 { return &v }
	for i, c := range []struct {
		set, want *int64
	}{{nil, nil}, {mark(5), mark(5)}, {mark(3), mark(5)}, {nil, mark(5)}, {mark(9), mark(9)}} {
		r, err := tab.write(t.Context(), fmt.Sprint(i, ".x"))
		if err != nil {
			t.Fatal(err)
		}
		r.Watermark, r.Properties = c.set, map[string]string{"own": fmt.Sprint(i)}
		if i == 1 {
			r.Properties["sequence.generation.max-sequence-number"] = "70"
		}
		res, err := tab.committer.Commit(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		s := res.Snapshots[0]
		if (s.Watermark == nil) != (c.want == nil) || (s.Watermark != nil && *s.Watermark != *c.want) {
			t.Fatalf("commit %d: watermark %v, want %v", i, s.Watermark, c.want)
		}
		if s.Properties["own"] != fmt.Sprint(i) || (i >= 1 && s.Properties["sequence.generation.max-sequence-number"] != "70") {
			t.Fatalf("commit %d: properties %v", i, s.Properties)
		}
		if s.NextRowID != 0 || s.Version != 3 || s.UUID == "" {
			t.Fatalf("%+v", s)
		}
	}
	res, err := tab.committer.Commit(t.Context(), commit.Request{User: "u", Identifier: 1, Statistics: "stat-1"})
	if err != nil || res.Snapshots[0].CommitKind != snapshot.Analyze {
		t.Fatalf("%+v, %v", res, err)
	}
	res, err = tab.insert(t.Context(), "last.x")
	if err != nil || res.Snapshots[0].Statistics != "stat-1" {
		t.Fatalf("%+v, %v", res, err)
	}
}

// TestFaults fails every file operation of a commit in turn, before and after its
// effect, and for good. The table then reads as before or as after the commit, on
// the live disk and after a power cut, and the commit says which.
func TestFaults(t *testing.T) {
	for name, rule := range map[string]func(int) fault.Rule{"before": fault.FailNth, "after": fault.FailNthAfter, "dead": fault.DieAt} {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				disk := mem.New(nil)
				seed := open(disk)
				for i := range 5 {
					if _, err := seed.insert(t.Context(), fmt.Sprint("seed", i, ".x")); err != nil {
						t.Fatal(err)
					}
				}
				before, err := seed.state(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				flaky := fault.Wrap(disk)
				tab := open(flaky)
				r, err := tab.write(t.Context(), "zz.x")
				if err != nil {
					t.Fatal(err)
				}
				flaky.SetRule(rule(n))
				res, err := tab.committer.Commit(t.Context(), r)
				done := flaky.Count() < n
				check(t, fmt.Sprintf("%s %d", name, n), flaky.Log(), disk, before, before+" zz.x@0", res, err)
				if done {
					if n < 15 {
						t.Fatalf("only %d operations", n)
					}
					return
				}
			}
		})
	}
}

func check(t *testing.T, what string, log []fault.Op, disk *mem.Store, before, after string, res commit.Result, err error) {
	t.Helper()
	for _, store := range []*mem.Store{disk, disk.Crash()} {
		tab := open(store)
		got, stateErr := tab.state(context.Background())
		if stateErr != nil {
			t.Fatalf("%s: table is broken: %v\n%v", what, stateErr, log)
		}
		switch {
		case err == nil && got == after, err != nil && got == before && !errors.Is(err, commit.ErrUnknownOutcome):
		case errors.Is(err, commit.ErrUnknownOutcome) && (got == before || got == after):
		default:
			t.Fatalf("%s: commit said %v, table holds %q\n%v", what, err, got, log)
		}
		// The next commit works.
		if _, err := tab.insert(context.Background(), "zzz.x"); err != nil {
			t.Fatalf("%s: next commit: %v", what, err)
		}
		if got2, err := tab.state(context.Background()); err != nil || got2 != got+" zzz.x@0" {
			t.Fatalf("%s: then %q, %v", what, got2, err)
		}
		_ = res
	}
}

// TestLostAcknowledgement is the put of a snapshot that succeeds and reports a
// failure: the commit finds itself again.
func TestLostAcknowledgement(t *testing.T) {
	disk := mem.New(nil)
	flaky := fault.Wrap(disk)
	tab := open(flaky)
	if _, err := tab.insert(t.Context(), "a.x"); err != nil {
		t.Fatal(err)
	}
	flaky.SetRule(func(o fault.Op) fault.Outcome {
		if o.Kind == fault.CreateIfAbsent {
			return fault.Outcome{After: fault.ErrInjected}
		}
		return fault.Outcome{}
	})
	res, err := tab.insert(t.Context(), "b.x")
	if err != nil || len(res.Snapshots) != 1 || res.Snapshots[0].ID != 2 || res.Attempts != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	wantState(t, open(disk), "a.x@0 b.x@0")
	ids, err := tab.snapshots.List(t.Context())
	if err != nil || len(ids) != 2 {
		t.Fatalf("%v, %v", ids, err)
	}
}

// TestTwoCommitters lets several processes commit at once; every commit gets in,
// none twice.
func TestTwoCommitters(t *testing.T) {
	const writers, each = 4, 15
	disk := mem.New(nil)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			tab := open(disk)
			for i := range each {
				for {
					_, err := tab.insert(t.Context(), fmt.Sprintf("w%d-%02d.x", w, i))
					if errors.Is(err, commit.ErrGaveUp) || errors.Is(err, fileio.ErrExist) {
						// Overtaken too often: commit the same file again.
						r := commit.Request{
							Increments: []datafile.Increment{increment(1, meta(fmt.Sprintf("w%d-%02d.x", w, i), 0, 1, 3))},
							User:       "again", Identifier: 1,
						}
						if _, err = tab.committer.Commit(t.Context(), r); errors.Is(err, commit.ErrGaveUp) {
							continue
						}
					}
					if err != nil {
						t.Error(err)
					}
					break
				}
			}
		})
	}
	wg.Wait()
	tab := open(disk)
	s, err := tab.snapshots.Latest(t.Context())
	if err != nil || s.ID != writers*each || s.TotalRecordCount != 3*writers*each {
		t.Fatalf("%+v, %v", s, err)
	}
	got, err := tab.state(t.Context())
	if err != nil || len(strings.Fields(got)) != writers*each {
		t.Fatalf("%q, %v", got, err)
	}
}

// TestReplaced is a foreign writer that renames its snapshot over ours.
func TestReplaced(t *testing.T) {
	disk := mem.New(nil)
	tab := open(disk)
	if _, err := tab.insert(t.Context(), "a.x"); err != nil {
		t.Fatal(err)
	}
	other := open(disk.Clone())
	if _, err := tab.insert(t.Context(), "ours.x"); err != nil {
		t.Fatal(err)
	}
	if _, err := other.insert(t.Context(), "theirs.x"); err != nil {
		t.Fatal(err)
	}
	for _, path := range other.store.(*mem.Store).Paths() { // their files come over, snapshot-2 over ours
		data, err := fileio.ReadFile(t.Context(), other.store, path)
		if err != nil {
			t.Fatal(err)
		}
		if err := disk.Replace(t.Context(), path, data); err != nil {
			t.Fatal(err)
		}
	}
	wantState(t, tab, "a.x@0 theirs.x@0")

	var replaced *commit.ReplacedError
	_, err := tab.insert(t.Context(), "next.x")
	if !errors.As(err, &replaced) || replaced.Lost.ID != 2 || replaced.Request.User != "user-ours.x" {
		t.Fatal(err)
	}
	if _, err := tab.committer.Commit(t.Context(), replaced.Request); err != nil {
		t.Fatal(err)
	}
	if err := tab.committer.TryVerify(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantState(t, tab, "a.x@0 ours.x@0 theirs.x@0")
}

// TestPrepare renumbers against the table as it is at each attempt.
func TestPrepare(t *testing.T) {
	disk := mem.New(nil)
	tab, other := open(disk), open(disk)
	r, err := tab.write(t.Context(), "a.x")
	if err != nil {
		t.Fatal(err)
	}
	var seen []int
	incs := r.Increments
	r.Increments = nil
	r.Prepare = func(ctx context.Context, latest *snapshot.Snapshot, live commit.LiveReader) ([]datafile.Increment, error) {
		list, err := live.Live(ctx, manifest.Filter{})
		if err != nil {
			return nil, err
		}
		seen = append(seen, len(list))
		if len(seen) < 3 { // somebody is faster, twice
			if _, err := other.insert(ctx, fmt.Sprint("o", len(seen), ".x")); err != nil {
				return nil, err
			}
		}
		m := *incs[0].NewFiles[0]
		m.MinSequence, m.MaxSequence = int64(3*len(list)), int64(3*len(list)+2)
		return []datafile.Increment{increment(1, &m)}, nil
	}
	res, err := tab.committer.Commit(t.Context(), r)
	if err != nil || res.Attempts != 3 || !slices.Equal(seen, []int{0, 1, 2}) {
		t.Fatalf("%+v, %v, saw %v", res, err, seen)
	}
	live, err := tab.files.ReadLive(t.Context(), res.Snapshots[0], manifest.Filter{})
	if err != nil || live[2].File.MinSequence != 6 {
		t.Fatalf("%v, %v", live, err)
	}
	r.Prepare = nil
	r.Check = func(context.Context, *snapshot.Snapshot, commit.LiveReader) error { return errStop }
	r.Increments = incs
	if _, err := tab.committer.Commit(t.Context(), r); !errors.Is(err, errStop) {
		t.Fatal(err)
	}
}

var errStop = errors.New("stop")
