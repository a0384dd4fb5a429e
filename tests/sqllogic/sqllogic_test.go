package sqllogic

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/tests/sqllogic/lake"
	"github.com/lakesql/lakesql/tests/sqllogic/runner"
)

var (
	rewrite = flag.Bool("rewrite", false, "write the answers into the scripts")
	all     = flag.Bool("all", false, "go on after the first difference of a script")
)

// scriptTimeout bounds one run of one script.
const scriptTimeout = 2 * time.Minute

// TestScripts runs every script in both protocols. The host keeps process-wide
// variables, so that one server runs at a time.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("*/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) { runFile(t, file) })
	}
}

// runFile runs a script in all its variants.
func runFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := runner.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if *rewrite {
		rewriteFile(t, file, string(text), records)
		return
	}
	variants := []runner.Variant{{}}
	if strings.Contains(string(text), "\nstate ") {
		buckets := []string{"1"}
		if strings.Contains(string(text), "${buckets}") {
			buckets = []string{"1", "4"}
		}
		variants = runner.Matrix(buckets...)
	}
	for i, v := range variants {
		protocols := []string{"text", "binary"}
		if len(variants) > 1 { // one each, in turns
			protocols = protocols[i%2 : i%2+1]
		}
		for _, protocol := range protocols {
			name := protocol
			if v.State != "" {
				name = v.Name() + "-" + protocol
			}
			t.Run(name, func(t *testing.T) {
				if err := runScript(t, v.Apply(records), protocol); err != nil {
					t.Errorf("%s, %s protocol, %v", file, protocol, err)
				}
			})
		}
	}
}

func runScript(t *testing.T, records []runner.Record, protocol string) error {
	l := lake.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), scriptTimeout)
	defer cancel()
	srv := &runner.Server{Kind: "lakesql", DSN: l.DSN, Dir: l.Files, All: *all}
	srv.Restart = func() error {
		l.Restart(t)
		srv.DSN = l.DSN
		return nil
	}
	return runner.Run(ctx, srv, records, protocol)
}

func rewriteFile(t *testing.T, file, text string, records []runner.Record) {
	l := lake.Start(t)
	got := map[int][]string{}
	srv := &runner.Server{Kind: "lakesql", DSN: l.DSN, Dir: l.Files, Rewrite: func(r *runner.Record, rows []string) { got[r.Line] = rows }}
	srv.Restart = func() error {
		l.Restart(t)
		srv.DSN = l.DSN
		return nil
	}
	if err := runner.Run(t.Context(), srv, runner.Variant{Buckets: "1"}.Apply(records), "text"); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	if out := runner.Rewrite(text, records, got); out != text {
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
