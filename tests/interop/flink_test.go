package interop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lakesql/lakesql/storage/types"
)

// Flink is a running Flink SQL session on a warehouse. Safe for many goroutines.
type Flink struct {
	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startFlink starts Flink SQL for the suite.
func (s *suite) startFlink(t *testing.T) {
	t.Helper()
	if os.Getenv("FLINK") == "0" {
		return
	}
	f := &Flink{cmd: exec.Command("tools/flink-sql", "--warehouse", s.dir, "--answers", "--timeout", "60")}
	f.cmd.Stderr = os.Stderr
	var err error
	if f.in, err = f.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f.out = bufio.NewReaderSize(out, 1<<20)
	t.Cleanup(func() { _ = errors.Join(f.in.Close(), f.cmd.Wait()) })
	s.flink = f
}

// Do runs one statement and returns what it answered, a line each.
func (f *Flink) Do(statement string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := io.WriteString(f.in, statement+";\n"); err != nil {
		return nil, fmt.Errorf("flink: %w", err)
	}
	text, err := f.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("flink ended: %w", err)
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("flink answered %s: %w", text, err)
	}
	if !a.OK {
		return nil, fmt.Errorf("flink: %s: %s", statement, a.Error)
	}
	out := make([]string, len(a.Out))
	for i, r := range a.Out {
		out[i] = string(r)
	}
	return out, nil
}

// quotedName is a table name in backquotes.
func quotedName(table string) string {
	db, name, _ := strings.Cut(table, ".")
	return "`" + db + "`.`" + name + "`"
}

// Read returns the rows of a table, sorted. Options are k=v.
func (f *Flink) Read(table string, options []string) ([]string, error) {
	hint := ""
	for _, o := range options {
		k, v, _ := strings.Cut(o, "=")
		if hint != "" {
			hint += ", "
		}
		hint += fmt.Sprintf("'%s' = '%s'", k, v)
	}
	if hint != "" {
		hint = " /*+ OPTIONS(" + hint + ") */"
	}
	rows, err := f.Do("SELECT * FROM " + quotedName(table) + hint)
	slices.Sort(rows)
	return rows, err
}

// Write inserts rows by VALUES.
func (f *Flink) Write(table string, fields []types.Field, rows []string) error {
	var lines []string
	for _, r := range rows {
		var vals []string
		for i, v := range values(r) {
			text, err := literal(fields[i].Type, v)
			if err != nil {
				return err
			}
			vals = append(vals, text)
		}
		lines = append(lines, "("+strings.Join(vals, ", ")+")")
	}
	_, err := f.Do("INSERT INTO " + quotedName(table) + " VALUES " + strings.Join(lines, ", "))
	return err
}

// literal is a canonical value as Flink SQL writes it.
func literal(t types.Type, v json.RawMessage) (string, error) {
	name := strings.TrimSuffix(t.String(), " NOT NULL")
	if string(v) == "null" {
		return "CAST(NULL AS " + name + ")", nil
	}
	switch t.Kind {
	case types.Boolean:
		return string(v), nil
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return "CAST('" + string(v) + "' AS " + name + ")", nil
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return "", fmt.Errorf("no Flink literal for %s of type %s", v, t)
	}
	if t.Kind == types.Binary || t.Kind == types.VarBinary {
		return "CAST(x'" + strings.TrimPrefix(s, "0x") + "' AS " + name + ")", nil
	}
	return "CAST('" + strings.ReplaceAll(s, "'", "''") + "' AS " + name + ")", nil
}
