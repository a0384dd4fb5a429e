package interop

import (
	"archive/tar"
	"bytes"
	_ "embed" // the packed fixtures
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

//go:embed testdata/fixtures.tar.zst
var packed []byte

// Fixture is a warehouse that another engine wrote, with the reads that must
// succeed, or fail.
type Fixture struct {
	Name     string   // group/name
	Dir      string   // where it was unpacked
	About    string   `json:"about"`
	Writer   string   `json:"writer"`
	Features []string `json:"features"`
	Reads    []Read   `json:"reads"`
	Filters  []Filter `json:"filters"`
	Error    string   `json:"expectError"`
}

// Read is one read of a table and the rows it must give.
type Read struct {
	Table   string            `json:"table"`
	Options map[string]string `json:"options"`
	Mode    string            `json:"mode"`
	Kinds   bool              `json:"kinds"`
	Columns []string          `json:"columns"`
	Ordered bool              `json:"ordered"`
	Expect  string            `json:"expect"`
	Error   string            `json:"expectError"`
	Java    string            `json:"java"`
	Note    string            `json:"note"`
}

// Filter is a predicate in SQL and the rows for which it is true.
type Filter struct {
	Table  string `json:"table"`
	Where  string `json:"where"`
	Expect string `json:"expect"`
}

// Warehouse is the folder of the fixture's warehouse.
func (f *Fixture) Warehouse() string { return filepath.Join(f.Dir, "warehouse") }

// Rows are the lines of one of the fixture's files.
func (f *Fixture) Rows(file string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(f.Dir, file))
	if err != nil || len(data) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), nil
}

// Unpack writes all fixtures below dir and lists them.
func Unpack(dir string) ([]*Fixture, error) {
	z, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var out []*Fixture
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("unpack fixtures: %w", err)
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			if err := os.MkdirAll(name, 0o755); err != nil {
				return nil, err
			}
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			return nil, fmt.Errorf("unpack %s: %w", h.Name, err)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return nil, err
		}
		if filepath.Base(name) == "fixture.json" {
			f := &Fixture{Dir: filepath.Dir(name), Name: strings.TrimSuffix(h.Name, "/fixture.json")}
			if err := json.Unmarshal(data, f); err != nil {
				return nil, fmt.Errorf("read %s: %w", h.Name, err)
			}
			out = append(out, f)
		}
	}
}
