// Command ratio makes the table of docs/benchmarks.md of measurements, which it reads
// as JSON objects from its standard input. Per measurement and side it takes the
// least CPU time, wall time where no CPU time was told.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// measurement is a line of input.
type measurement struct {
	Peer    string         `json:"peer"`
	Bench   string         `json:"bench"`
	Rows    float64        `json:"rows"`
	Seconds float64        `json:"seconds"`
	Bytes   float64        `json:"bytes"`
	Params  map[string]any `json:"params"`
}

func (m *measurement) param(name string) float64 {
	x, _ := m.Params[name].(float64)
	return x
}

// seconds is the CPU time, or the wall time.
func (m *measurement) seconds() float64 {
	if s := m.param("cpu_seconds"); s > 0 {
		return s
	}
	return m.Seconds
}

// work names what was measured; the same on both sides.
func (m *measurement) work() string {
	switch m.Bench {
	case "write":
		return "write, no compaction"
	case "merge-read":
		runs, columns := int(m.param("sorted-runs")), int(m.param("columns"))
		if runs == 0 {
			return fmt.Sprintf("compacted read, %d columns", columns)
		}
		return fmt.Sprintf("merge read of %d runs, %d columns", runs, columns)
	case "compact":
		return fmt.Sprintf("full compaction of %d runs", int(m.param("sorted-runs")))
	case "plan":
		if filtered, _ := m.Params["partition-filter"].(bool); filtered {
			return fmt.Sprintf("plan %d files, one partition", int(m.param("files")))
		}
		return fmt.Sprintf("plan %d files", int(m.param("files")))
	case "commit":
		return fmt.Sprintf("%d commits of one row", int(m.Rows))
	}
	return m.Bench
}

// side is whose measurement it is.
func (m *measurement) side() string {
	if from, _ := m.Params["from"].(string); m.Peer == "lakesql" && from != "" {
		return "lakesql on the reference's files"
	}
	return m.Peer
}

// best is the least time of a side, and its file sizes.
type best struct{ seconds, bytes float64 }

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ratio:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var order []string
	times := map[string]map[string]best{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m measurement
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		if m.Bench == "commit" {
			fmt.Fprintf(out, "%s: %.0f commits/s of one row, p50 %.1f ms, params %v\n", m.side(), m.Rows/m.Seconds, m.param("p50_us")/1000, m.Params)
			continue
		}
		work := m.work()
		if times[work] == nil {
			order = append(order, work)
			times[work] = map[string]best{}
		}
		b, ok := times[work][m.side()]
		if !ok {
			b = best{math.Inf(1), m.Bytes}
		}
		b.seconds = min(b.seconds, m.seconds())
		times[work][m.side()] = b
	}
	if err := lines.Err(); err != nil {
		return err
	}
	table(out, order, times)
	return nil
}

func table(out io.Writer, order []string, times map[string]map[string]best) {
	fmt.Fprintln(out, "| Work | Reference, CPU s | lakesql, CPU s | Ratio | Bytes, reference · lakesql |")
	fmt.Fprintln(out, "|---|---|---|---|---|")
	for _, work := range order {
		var peers []string
		for p := range times[work] {
			if p != "lakesql" && p != "lakesql on the reference's files" {
				peers = append(peers, p)
			}
		}
		slices.Sort(peers)
		for _, side := range []string{"lakesql", "lakesql on the reference's files"} {
			mine, ok := times[work][side]
			if !ok {
				continue
			}
			name := work
			if side != "lakesql" {
				name += ", the reference's files"
			}
			for _, p := range peers {
				theirs := times[work][p]
				fmt.Fprintf(out, "| %s | %.3f | %.3f | **%.1f** | %.0f MB · %.0f MB |\n", name, theirs.seconds, mine.seconds,
					theirs.seconds/mine.seconds, theirs.bytes/1e6, mine.bytes/1e6)
			}
		}
	}
}
