package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// Options choose what is measured. Zero values take the defaults of the peers'
// benchmarks.
type Options struct {
	Names       []string // write, merge-read, compact, commit, plan, select, load, start; nil: all
	Rows        int64    // 5,000,000
	Distinct    uint64   // 2,000,000
	Seed        uint64   // 1
	Buckets     int      // 4
	Checkpoints int      // 5 commits of the write benchmark
	SortedRuns  []int    // merge-read: 0, 1, 5, 10 (0: fully compacted)
	CompactRuns []int    // compact: 10
	Commits     int      // 1,000
	Before      int      // snapshots that the commit benchmark makes before it measures
	Files       int      // plan: 100,000
	SelectRows  int64    // select: 1,000,000
	LoadRows    int64    // load: 1,000,000
	Server      []string // select, load, start: the command that starts a server
	Runs        int      // 3, of which the fastest counts
	Warmup      int      // 1
	Threads     int      // 2
	Work        string   // scratch folder
	Keep        bool     // leave the tables in Work
	// From is a warehouse's folder of a database with tables merge_read_N and
	// compact_N that another engine made of the same rows; "" makes our own.
	From string
	// Table has table options on top of the defaults.
	Table map[string]string

	Store fileio.Store
	Log   *slog.Logger
}

func (o *Options) ensureDefaults() {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	if o.Rows == 0 {
		o.Rows = 5_000_000
	}
	if o.SelectRows == 0 {
		o.SelectRows = 1_000_000
	}
	if o.LoadRows == 0 {
		o.LoadRows = 1_000_000
	}
	if o.Distinct == 0 {
		o.Distinct = 2_000_000
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	set(&o.Buckets, 4)
	set(&o.Checkpoints, 5)
	set(&o.Commits, 1000)
	set(&o.Files, 100_000)
	set(&o.Runs, 3)
	set(&o.Threads, 2)
	if o.SortedRuns == nil {
		o.SortedRuns = []int{0, 1, 5, 10}
	}
	if o.CompactRuns == nil {
		o.CompactRuns = []int{10}
	}
	if o.Names == nil {
		o.Names = []string{"write", "merge-read", "compact", "commit", "plan", "select", "load", "start"}
	}
}

// Run measures what o asks for and prints a line each to w.
func Run(ctx context.Context, w io.Writer, o Options) error {
	o.ensureDefaults()
	r := &run{Options: o, out: w, cpu: cpuSeconds}
	r.env = storage.NewEnv(storage.Config{Store: o.Store, Log: o.Log, Threads: o.Threads})
	defer r.env.Close()
	byName := map[string]func(context.Context) error{
		"write": r.write, "merge-read": r.mergeRead, "compact": r.compact, "commit": r.commit, "plan": r.plan,
		"select": r.selectRows, "load": r.loadData, "start": r.start,
	}
	for _, name := range o.Names {
		f, ok := byName[name]
		if !ok {
			return fmt.Errorf("no benchmark %q: there are write, merge-read, compact, commit, plan, select, load and start", name)
		}
		if err := f(ctx); err != nil {
			return fmt.Errorf("benchmark %s: %w", name, err)
		}
	}
	return nil
}

type run struct {
	Options
	out io.Writer
	env *storage.Env
	cpu func() float64 // the processor time, in seconds, of what is measured
}

// table creates the kv table under a new name.
func (r *run) table(ctx context.Context, name string, more map[string]string) (*storage.Table, error) {
	opts := map[string]string{"bucket": fmt.Sprint(r.Buckets), "write-only": "true"}
	for _, m := range []map[string]string{more, r.Options.Table} {
		for k, v := range m {
			opts[k] = v
		}
	}
	def := schema.Definition{Fields: testkit.KVFields(), PrimaryKeys: []string{"k"}, Options: opts}
	return storage.Create(ctx, r.env, r.dir(name), def)
}

func (r *run) dir(name string) string {
	return filepath.ToSlash(filepath.Join(r.Work, "bench.db", name))
}

func (r *run) drop(ctx context.Context, name string) error {
	if r.Keep {
		return nil
	}
	return storage.Drop(ctx, r.env, r.dir(name))
}

// load writes all rows in so many commits.
func (r *run) load(ctx context.Context, t *storage.Table, commits int) error {
	batch := columnar.NewBatch(fieldTypes(), columnar.BatchRows)
	for c := range int64(commits) {
		from, to := r.Rows*c/int64(commits), r.Rows*(c+1)/int64(commits)
		if err := r.loadRange(ctx, t, batch, from, to); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) loadRange(ctx context.Context, t *storage.Table, batch *columnar.Batch, from, to int64) error {
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	w := v.Write(storage.WriteOptions{})
	for ; from < to; from += columnar.BatchRows {
		batch.Reset()
		testkit.KVBatch(batch, r.Seed, r.Distinct, from, int(min(columnar.BatchRows, to-from)))
		if err := w.Add(ctx, batch); err != nil {
			w.Abort()
			return err
		}
	}
	_, err = w.Commit(ctx)
	return err
}

func fieldTypes() []types.Type {
	var ts []types.Type
	for _, f := range testkit.KVFields() {
		ts = append(ts, f.Type)
	}
	return ts
}

// expected is what a merged read must give: the number of keys and the sum of b.
func (r *run) expected() (rows, sum int64) {
	newest := make([]int64, r.Distinct)
	batch := columnar.NewBatch(fieldTypes()[:9], columnar.BatchRows)
	for from := int64(0); from < r.Rows; from += columnar.BatchRows {
		batch.Reset()
		testkit.KVBatch(batch, r.Seed, r.Distinct, from, int(min(columnar.BatchRows, r.Rows-from)))
		for i, k := range batch.Cols[0].I64 {
			newest[k] = batch.Cols[2].I64[i] + 1
		}
	}
	for _, b := range newest {
		if b > 0 {
			rows++
			sum += b - 1
		}
	}
	return rows, sum
}

// measurement is one line of output.
type measurement struct {
	Peer     string         `json:"peer"`
	Bench    string         `json:"bench"`
	Rows     int64          `json:"rows"`
	Seconds  float64        `json:"seconds"`
	RowsPerS float64        `json:"rows_per_s"`
	Bytes    int64          `json:"bytes"`
	Params   map[string]any `json:"params"`
}

func round(x float64) float64 { return math.Round(x*10000) / 10000 }

func (r *run) report(bench string, rows int64, seconds float64, bytes int64, params map[string]any) error {
	params["load_average"] = loadAverage()
	for k, v := range r.Options.Table {
		params[k] = v
	}
	return json.NewEncoder(r.out).Encode(measurement{
		Peer: "lakesql", Bench: bench, Rows: rows, Seconds: round(seconds), RowsPerS: math.Round(float64(rows) / seconds),
		Bytes: bytes, Params: params,
	})
}

// measure runs body warm-up and measured times, each after setup, and reports the
// fastest. body returns the rows it handled; bytes is asked for after the last run.
func (r *run) measure(ctx context.Context, bench string, params map[string]any, setup func() error,
	body, bytes func() (int64, error), after func() error,
) error {
	var all, cpus []float64
	best, rows, size := math.Inf(1), int64(0), int64(0)
	for i := range r.Warmup + r.Runs {
		if err := errors.Join(ctx.Err(), setup()); err != nil {
			return err
		}
		runtime.GC()
		begin, cpu := time.Now(), r.cpu()
		n, err := body()
		if err != nil {
			return err
		}
		took, used := time.Since(begin).Seconds(), r.cpu()-cpu
		if size, err = bytes(); err != nil {
			return err
		}
		if err := after(); err != nil {
			return err
		}
		if i < r.Warmup {
			continue
		}
		all, cpus = append(all, round(took)), append(cpus, round(used))
		if took < best {
			best, rows = took, n
			params["cpu_seconds"] = round(used)
		}
	}
	params["runs_seconds"], params["runs_cpu_seconds"] = all, cpus
	params["threads"] = r.Threads
	params["heap_in_use_mib"] = heapMiB()
	return r.report(bench, rows, best, size, params)
}

func heapMiB() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse >> 20
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(data), " ")
	return load
}

// bytesBelow is the size of the files below a table's folder whose names begin with prefix.
func (r *run) bytesBelow(name, prefix string) int64 {
	var n int64
	_ = filepath.WalkDir(r.dir(name), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), prefix) {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
