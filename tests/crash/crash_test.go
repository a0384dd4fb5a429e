package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/local"
	"github.com/lakesql/lakesql/tests/harness"
)

// tables are the kinds of tables that writers are killed over.
func tables() map[string]map[string]string {
	return map[string]map[string]string{
		"fixed":   {"bucket": "2"},
		"dynamic": {"bucket": "-1", "dynamic-bucket.target-row-num": "50"},
		"append":  {"append": "yes", "bucket": "-1"},
	}
}

// newTable makes a table on disk.
func newTable(t *testing.T, options map[string]string) (root string) {
	t.Helper()
	root = filepath.ToSlash(t.TempDir())
	env := storage.NewEnv(storage.Config{Store: local.New(root)})
	defer env.Close()
	if _, err := storage.Create(t.Context(), env, tableDir(root), definition(options)); err != nil {
		t.Fatal(err)
	}
	return root
}

// child runs a writing process to its end, or until ctx kills it, and returns how
// many commits it acknowledged.
func child(ctx context.Context, o orders) (acknowledged int, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if ctx.Err() != nil {
		err = nil // killed, as intended
	}
	if err != nil {
		err = fmt.Errorf("writer %d: %w: %s", o.Writer, err, errs.String())
	}
	return strings.Count(out.String(), "\n"), err
}

// visible reads the table and returns how many commits of each writer it holds. A
// commit in part, or one missing before the last, is an error.
func visible(t *testing.T, root string, keyed bool) (counts [writers]int) {
	t.Helper()
	env := storage.NewEnv(storage.Config{Store: local.New(root)})
	defer env.Close()
	tb, err := storage.Open(t.Context(), env, tableDir(root))
	if err != nil {
		t.Fatal(err)
	}
	f, rows, err := harness.Read(t.Context(), tb, storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if k := r[0].I; k >= writers {
			counts[k%writers] = max(counts[k%writers], int(r[1].I)+1)
		}
	}
	var want []harness.Row
	for w, n := range counts {
		for i := range n {
			rows := rowsOf(w, i)
			if keyed && i < n-1 {
				rows = rows[1:]
			}
			want = append(want, rows...)
		}
	}
	if d := harness.Differ(harness.Texts(f, rows), harness.Texts(f, want)); d != "" {
		t.Fatalf("with %v commits: %s", counts, d)
	}
	faults, _, err := harness.Check(t.Context(), env, tableDir(root))
	if err != nil || len(faults) > 0 {
		t.Fatalf("check: %v %v", faults, err)
	}
	return counts
}

func TestKilledWriterLosesNothing(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	for name, options := range tables() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := newTable(t, options)
			done, killed := 0, 0
			for round := range rounds {
				seed := rand.Uint64N(1 << 32)
				life := 30*time.Millisecond + time.Duration(rand.New(rand.NewPCG(seed, 0)).IntN(400))*time.Millisecond
				ctx, cancel := context.WithTimeout(t.Context(), life)
				n, err := child(ctx, orders{Root: root, First: done, Count: 1000, Maintain: 5})
				if ctx.Err() != nil {
					killed++
				}
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				now := visible(t, root, options["append"] == "")[0]
				if now < done+n {
					t.Fatalf("round %d, killed after %v: %d commits were acknowledged, %d are there", round, life, done+n, now)
				}
				if now > done+n+1 {
					t.Fatalf("round %d: %d commits are there, %d were begun", round, now, done+n+1)
				}
				done = now
			}
			t.Logf("%d commits, killed %d times", done, killed)
		})
	}
}

func TestTwoProcessesCommitAtOnce(t *testing.T) {
	const commits = 25
	for name, options := range tables() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := newTable(t, options)
			var wg sync.WaitGroup
			for w := range 2 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					// The first one expires so eagerly that the ids of the second one's
					// commits are published, expired and free again under its hands.
					n, err := child(t.Context(), orders{Root: root, Writer: w, Count: commits, Maintain: 2 * (1 - w)})
					if err != nil || n != commits {
						t.Errorf("writer %d made %d commits: %v", w, n, err)
					}
				}()
			}
			wg.Wait()
			if t.Failed() {
				return
			}
			if got := visible(t, root, options["append"] == ""); got != [writers]int{commits, commits} {
				t.Errorf("%v commits are there, each made %d", got, commits)
			}
		})
	}
}
