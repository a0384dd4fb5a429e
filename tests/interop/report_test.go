package interop

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write docs/compatibility.md")

const compatibilityPage = "../../docs/compatibility.md"

// report gathers what each engine did with each feature.
type report struct {
	mu    sync.Mutex
	order []string
	rows  map[string]map[string]*cell // by feature and by engine and verb
}

type cell struct {
	ok     int
	limits []string // reasons
}

func newReport() *report { return &report{rows: map[string]map[string]*cell{}} }

func (r *report) cell(feature, engine, verb string) *cell {
	row := r.rows[feature]
	if row == nil {
		row = map[string]*cell{}
		r.rows[feature] = row
		r.order = append(r.order, feature)
	}
	c := row[engine+" "+verb]
	if c == nil {
		c = &cell{}
		row[engine+" "+verb] = c
	}
	return c
}

func (r *report) ok(feature, engine, verb string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cell(feature, engine, verb).ok++
}

func (r *report) limit(feature, engine, verb, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.cell(feature, engine, verb)
	if !slices.Contains(c.limits, reason) {
		c.limits = append(c.limits, reason)
	}
}

// text is a cell of the page.
func (c *cell) text(notes *[]string) string {
	if c == nil {
		return ""
	}
	var marks []string
	slices.Sort(c.limits)
	for _, l := range c.limits {
		i := slices.Index(*notes, l)
		if i < 0 {
			i = len(*notes)
			*notes = append(*notes, l)
		}
		marks = append(marks, fmt.Sprint(i+1))
	}
	switch {
	case len(marks) == 0:
		return "yes"
	case c.ok == 0:
		return "no " + strings.Join(marks, " ")
	}
	return "partly " + strings.Join(marks, " ")
}

// page is docs/compatibility.md.
func (r *report) page(t *testing.T) ([]byte, error) {
	t.Helper()
	head, err := os.ReadFile("testdata/compatibility-head.md")
	if err != nil {
		return nil, err
	}
	tail, err := os.ReadFile("testdata/compatibility-tail.md")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString("\n| Feature | lakesql reads and writes | Java Paimon reads | writes | pypaimon reads | writes | Paimon Rust reads | Flink reads | writes |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	slices.Sort(r.order)
	var notes []string
	for _, f := range r.order {
		row := r.rows[f]
		own := row[lakesql+" reads"]
		if refused := row[lakesql+" writes"]; refused != nil && len(refused.limits) > 0 {
			own = refused
		}
		fmt.Fprintf(&b, "| %s | %s", f, own.text(&notes))
		for _, c := range []string{java + " reads", java + " writes", python + " reads", python + " writes", rust + " reads", flink + " reads", flink + " writes"} {
			b.WriteString(" | " + row[c].text(&notes))
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\n")
	for i, n := range notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, n)
	}
	b.WriteString("\n")
	b.Write(tail)
	b.WriteString("\n## What lakesql does not read yet\n\nEach is refused by an error that names it. The list is that of `tests/interop/testdata/later.txt`.\n\n| The error names | Why |\n|---|---|\n")
	var seen []string
	for _, l := range laterReads(t) {
		if !slices.Contains(seen, l.names) {
			seen = append(seen, l.names)
			fmt.Fprintf(&b, "| %s | %s |\n", l.names, l.reason)
		}
	}
	return b.Bytes(), nil
}

// hold compares the page with what the suite saw, or writes it.
func (r *report) hold(t *testing.T) {
	t.Helper()
	want, err := r.page(t)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(compatibilityPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(compatibilityPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("docs/compatibility.md is stale: tests/interop/run page writes it anew")
	}
}
