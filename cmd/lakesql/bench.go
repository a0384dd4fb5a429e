package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/pprof"

	"github.com/lakesql/lakesql/storage/fileio/local"
	"github.com/lakesql/lakesql/tests/bench"
)

// benchCmd measures lakesql and prints one JSON object a measurement.
type benchCmd struct {
	Names       []string          `arg:"" optional:"" name:"bench" help:"Which of write, merge-read, compact, commit, plan, select, load and start; all by default."`
	Rows        int64             `help:"Rows of the kv table." default:"5000000"`
	Distinct    uint64            `help:"Distinct keys they are drawn from." default:"2000000"`
	Seed        uint64            `help:"Seed of the rows." default:"1"`
	Buckets     int               `help:"Buckets of the table." default:"4"`
	Checkpoints int               `help:"write: commits that all rows come in." default:"5"`
	SortedRuns  []int             `help:"merge-read: sorted runs of the table; 0 is fully compacted." default:"0,1,5,10"`
	CompactRuns []int             `help:"compact: sorted runs that are compacted." default:"10"`
	Commits     int               `help:"commit: commits of one row that are measured." default:"1000"`
	Before      int               `help:"commit: snapshots made before." default:"0"`
	Files       int               `help:"plan: files of the table." default:"100000"`
	SelectRows  int64             `help:"select: rows of the table." default:"1000000"`
	LoadRows    int64             `help:"load: rows of the file." default:"1000000"`
	Runs        int               `help:"Measured runs, of which the fastest counts." default:"3"`
	Warmup      int               `help:"Runs before them." default:"1"`
	Threads     int               `help:"Buckets that are written, read or compacted at once." default:"2"`
	Option      map[string]string `help:"Table options, key=value." mapsep:","`
	From        string            `help:"Folder of a database with tables merge_read_N and compact_N of the same rows, which another engine made." type:"path"`
	Work        string            `help:"Scratch folder; a new temporary one by default, which is removed." type:"path"`
	Keep        bool              `help:"Leave the tables in the scratch folder."`
	CPUProfile  string            `name:"cpuprofile" help:"File for a CPU profile." type:"path"`
}

// Run implements the subcommand.
func (c *benchCmd) Run(a *app) (err error) {
	work := c.Work
	if work == "" {
		if work, err = os.MkdirTemp("", "lakesql-bench-"); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	}
	if c.CPUProfile != "" {
		stop, err := profileCPU(c.CPUProfile)
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return bench.Run(a.ctx, a.stdout, bench.Options{
		Names: c.Names, Rows: c.Rows, Distinct: c.Distinct, Seed: c.Seed, Buckets: c.Buckets, Checkpoints: c.Checkpoints,
		SortedRuns: c.SortedRuns, CompactRuns: c.CompactRuns, Commits: c.Commits, Before: c.Before, Files: c.Files,
		SelectRows: c.SelectRows, LoadRows: c.LoadRows, Server: []string{program, "serve"}, Runs: c.Runs, Warmup: c.Warmup, Threads: c.Threads, Table: c.Option, From: filepath.ToSlash(c.From),
		Work: work, Keep: c.Keep, Store: local.New(filepath.ToSlash(work)), Log: a.log,
	})
}

func profileCPU(name string) (stop func() error, err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, fs.FileMode(0o644))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
