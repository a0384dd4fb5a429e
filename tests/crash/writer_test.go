package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio/local"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/harness"
)

// childVariable holds the orders of a writing process, as JSON.
const childVariable = "LAKESQL_CRASH_WRITER"

// orders tell a writing process what to do.
type orders struct {
	Root   string
	Writer int // its keys are its own
	First  int // number of the first commit
	Count  int // of commits
	// Maintain compacts and expires after every so many commits; 0: never.
	Maintain int
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		var o orders
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			fatal(err)
		}
		if err := writeCommits(context.Background(), o); err != nil {
			fatal(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A commit has rowsEach rows of its own, and one row of the writer that every commit
// writes again.
const rowsEach = 7

const writers = 4 // more than take part

func tableDir(root string) string { return root + "/default.db/t" }

func fields() []types.Field {
	return []types.Field{
		{Name: "k", Type: types.Of(types.BigInt).WithNotNull(true)},
		{Name: "n", Type: types.Of(types.Int)}, // number of the commit
		{Name: "pad", Type: types.String()},
	}
}

func definition(options map[string]string) schema.Definition {
	o := map[string]string{"write-only": "true", "commit.max-retries": "1000"} // expiry is an order
	for k, v := range options {
		o[k] = v
	}
	d := schema.Definition{Fields: fields(), PrimaryKeys: []string{"k"}, Options: o}
	if options["append"] != "" {
		delete(o, "append")
		d.PrimaryKeys = nil
		d.Fields[0].Type = d.Fields[0].Type.WithNotNull(false)
	}
	return d
}

// rowsOf are the rows of commit n of a writer. Key w is the one that is written again.
func rowsOf(writer, n int) []harness.Row {
	row := func(k int64) harness.Row {
		return harness.Row{columnar.IntValue(k), columnar.IntValue(int64(n)), columnar.StringValue(fmt.Sprintf("%d/%d", writer, n))}
	}
	rows := []harness.Row{row(int64(writer))}
	for i := range rowsEach {
		rows = append(rows, row(int64((n*rowsEach+i)*writers+writers+writer)))
	}
	return rows
}

// writeCommits is the writing process.
func writeCommits(ctx context.Context, o orders) error {
	env := storage.NewEnv(storage.Config{Store: local.New(o.Root)})
	defer env.Close()
	tb, err := storage.Open(ctx, env, tableDir(o.Root))
	if err != nil {
		return err
	}
	for n := o.First; n < o.First+o.Count; n++ {
		if err := writeCommit(ctx, tb, o.Writer, n); err != nil {
			return fmt.Errorf("commit %d of writer %d: %w", n, o.Writer, err)
		}
		if _, err := fmt.Println("done", n); err != nil {
			return err
		}
		if o.Maintain > 0 && n%o.Maintain == o.Maintain-1 {
			if _, err := tb.Compact(ctx, storage.CompactOptions{Full: true}); err != nil {
				return fmt.Errorf("compact: %w", err)
			}
			if _, err := tb.ExpireSnapshots(ctx, expire.Options{RetainMin: 1, RetainMax: 1 + n%3, OlderThanMillis: math.MaxInt64}); err != nil {
				return fmt.Errorf("expire: %w", err)
			}
		}
	}
	return nil
}

// writeCommit publishes a commit. When a snapshot is published, built on, compacted
// and expired by the other process before ours has looked at it, nobody can tell what
// became of it but the rows of the table.
func writeCommit(ctx context.Context, tb *storage.Table, writer, n int) error {
	rows := rowsOf(writer, n)
	for {
		_, err := harness.Write(ctx, tb, storage.WriteOptions{}, rows, nil)
		if !errors.Is(err, commit.ErrUnknownOutcome) {
			return err
		}
		f, there, err := harness.Read(ctx, tb, storage.ViewOptions{})
		for errors.Is(err, snapshot.ErrExpired) { // under our hands, too
			f, there, err = harness.Read(ctx, tb, storage.ViewOptions{})
		}
		if err != nil {
			return err
		}
		mine := rows[1].Text(f)
		if slices.ContainsFunc(there, func(r harness.Row) bool { return r.Text(f) == mine }) {
			return nil
		}
	}
}
