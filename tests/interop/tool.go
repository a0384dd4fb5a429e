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
)

// Tool is a running process of another engine that takes commands a line and
// answers each in a line (see tools/README.md, "batch"). Safe for many
// goroutines; commands run one after the other.
type Tool struct {
	Name string
	mu   sync.Mutex
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// StartTool starts tools/<name> with the word batch.
func StartTool(name string) (*Tool, error) {
	cmd := exec.Command("tools/"+name, "batch")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return &Tool{Name: name, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

// Close ends the process.
func (t *Tool) Close() error { return errors.Join(t.in.Close(), t.cmd.Wait()) }

type answer struct {
	OK    bool              `json:"ok"`
	Out   []json.RawMessage `json:"out"`
	Error string            `json:"error"`
}

// Do runs one command and returns the lines it printed, each as it was printed.
func (t *Tool) Do(words ...string) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, err := json.Marshal(words)
	if err != nil {
		return nil, err
	}
	if _, err := t.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("%s %s: %w", t.Name, words[0], err)
	}
	text, err := t.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s %s: the process ended: %w", t.Name, words[0], err)
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("%s answered %s: %w", t.Name, text, err)
	}
	if !a.OK {
		return nil, fmt.Errorf("%s %s: %s", t.Name, strings.Join(words, " "), a.Error)
	}
	out := make([]string, len(a.Out))
	for i, r := range a.Out {
		out[i] = string(r)
	}
	return out, nil
}

// Read returns the rows of a table, sorted by their bytes. extra are more words of
// the command, such as --engine rust or --option k=v.
func (t *Tool) Read(warehouse, table string, extra ...string) ([]string, error) {
	rows, err := t.Do(append([]string{"read", "--warehouse", warehouse, "--table", table}, extra...)...)
	slices.Sort(rows)
	return rows, err
}
