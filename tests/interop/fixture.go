package interop

import (
	"archive/tar"
	"bytes"
	"context"
	_ "embed" // the packed fixtures
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

//go:embed testdata/fixtures.tar.zst
var packed []byte

// Fixture is a warehouse that another engine wrote, with the reads that must
// succeed, or fail.
type Fixture struct {
	Name     string            // group/name
	Files    map[string][]byte // by path below the fixture: warehouse/…, rows-1.jsonl, …
	About    string            `json:"about"`
	Writer   string            `json:"writer"`
	Features []string          `json:"features"`
	Reads    []Read            `json:"reads"`
	Filters  []Filter          `json:"filters"`
	Error    string            `json:"expectError"`
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

// Group is the first part of the fixture's name.
func (f *Fixture) Group() string { return path.Dir(f.Name) }

// Rows are the lines of one of the fixture's files.
func (f *Fixture) Rows(file string) ([]string, error) {
	data, ok := f.Files[file]
	if !ok {
		return nil, fmt.Errorf("fixture %s has no file %s", f.Name, file)
	}
	if len(data) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), nil
}

// Store returns a store of its own with the fixture's warehouse in /warehouse.
func (f *Fixture) Store(ctx context.Context) (fileio.Store, error) {
	s := mem.New(time.Now)
	for name, data := range f.Files {
		if !strings.HasPrefix(name, "warehouse/") {
			continue
		}
		if err := s.CreateIfAbsent(ctx, "/"+name, data); err != nil {
			return nil, fmt.Errorf("fixture %s: %w", f.Name, err)
		}
	}
	return s, nil
}

// Unpack writes the fixture's files below dir.
func (f *Fixture) Unpack(dir string) error {
	for name, data := range f.Files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Fixtures lists all fixtures.
func Fixtures() ([]*Fixture, error) {
	z, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var out []*Fixture
	byName := map[string]*Fixture{}
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("unpack fixtures: %w", err)
		}
		parts := strings.SplitN(strings.TrimPrefix(h.Name, "./"), "/", 3)
		if h.FileInfo().IsDir() || len(parts) < 3 {
			continue
		}
		name := parts[0] + "/" + parts[1]
		f := byName[name]
		if f == nil {
			f = &Fixture{Name: name, Files: map[string][]byte{}}
			byName[name] = f
			out = append(out, f)
		}
		if f.Files[parts[2]], err = io.ReadAll(tr); err != nil {
			return nil, fmt.Errorf("unpack %s: %w", h.Name, err)
		}
	}
	for _, f := range out {
		if err := json.Unmarshal(f.Files["fixture.json"], f); err != nil {
			return nil, fmt.Errorf("read %s/fixture.json: %w", f.Name, err)
		}
	}
	return out, nil
}
