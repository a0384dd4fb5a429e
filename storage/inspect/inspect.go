package inspect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// Config is what inspecting works with. All handles are the caller's.
type Config struct {
	Store   fileio.Store
	Formats map[string]format.Format // by name
	// Rows is how many rows of a data file, or entries of a hash index, are printed.
	Rows int
}

// File prints the file at path to w. What is damaged is an error, after as much
// output as could be made.
func File(ctx context.Context, c Config, path string, w io.Writer) (err error) {
	f, err := c.Store.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("inspect %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriter(w)
	p := &printer{Config: c, path: path, name: path[strings.LastIndexByte(path, '/')+1:], file: f, out: out}
	err = p.print(ctx)
	return errors.Join(err, out.Flush())
}

// printer prints one file.
type printer struct {
	Config
	path, name string
	file       fileio.File
	out        *bufio.Writer
	table      *table // nil: the file does not lie in a table's directory
}

func (p *printer) linef(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// headBytes is how much of a file is looked at to tell what it is: a container's
// header with its schema.
const headBytes = 64 << 10

func (p *printer) print(ctx context.Context) error {
	head := make([]byte, min(p.file.SizeBytes(), headBytes))
	if n, err := p.file.ReadAt(head, 0); n < len(head) {
		return fmt.Errorf("read %s: %w", p.path, err)
	}
	table, err := findTable(ctx, p.Store, p.path)
	if err != nil {
		return err
	}
	p.table = table
	p.linef("%s, %d bytes", p.path, p.file.SizeBytes())
	switch trimmed := bytes.TrimSpace(head); {
	case p.name == "LATEST" || p.name == "EARLIEST":
		return p.pointer(head)
	case bytes.HasPrefix(head, []byte("Obj\x01")):
		return p.container(ctx, head)
	case bytes.HasPrefix(head, []byte("PAR1")):
		return p.parquet(ctx)
	case bytes.HasPrefix(head, []byte(fileIndexMagic)):
		return p.fileIndex(ctx)
	case len(trimmed) > 0 && trimmed[0] == '{':
		return p.json(ctx)
	case strings.HasPrefix(p.name, "index-"):
		return p.indexFile(ctx, head)
	}
	return fmt.Errorf("inspect %s: neither name nor content tell what it is", p.path)
}

func (p *printer) whole(ctx context.Context) ([]byte, error) {
	data, err := fileio.ReadFile(ctx, p.Store, p.path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.path, err)
	}
	return data, nil
}

func (p *printer) pointer(head []byte) error {
	if v, err := strconv.ParseInt(string(head), 10, 64); err != nil || v <= 0 {
		p.linef("pointer file: %q is no snapshot id", head)
		return nil
	}
	p.linef("pointer file: snapshot %s", head)
	return nil
}

// json prints a JSON file as it is, below a line that says what it means.
func (p *printer) json(ctx context.Context) error {
	data, err := p.whole(ctx)
	if err != nil {
		return err
	}
	var what string
	switch {
	case strings.HasPrefix(p.name, "schema-"):
		what, err = describeSchema(data)
	case strings.HasPrefix(p.name, "snapshot-"), strings.HasPrefix(p.name, "tag-"), strings.HasPrefix(p.name, "changelog-"):
		what, err = describeSnapshot(data)
	case strings.HasPrefix(p.name, "consumer-"):
		what = "position of a consumer"
	case strings.HasPrefix(p.name, "stat-"):
		what = "statistics of a table"
	default:
		what = "JSON"
	}
	if err == nil {
		p.linef("%s", what)
	}
	var text bytes.Buffer
	if bad := json.Indent(&text, data, "", "  "); bad != nil {
		return errors.Join(err, corrupt.Wrap(p.path, bad))
	}
	p.linef("%s", text.Bytes())
	if errors.Is(err, corrupt.Err) {
		return corrupt.Wrap(p.path, err)
	}
	return err
}

func describeSchema(data []byte) (string, error) {
	s, err := schema.Decode(data)
	if err != nil {
		return "", err
	}
	kind := "append table"
	if s.HasPrimaryKey() {
		kind = "primary key (" + strings.Join(s.PrimaryKeys, ", ") + ")"
	}
	if len(s.PartitionKeys) > 0 {
		kind += ", partitioned by (" + strings.Join(s.PartitionKeys, ", ") + ")"
	}
	return fmt.Sprintf("schema %d of %s: %d columns, %s", s.ID, millis(s.TimeMillis), len(s.Fields), kind), nil
}

func describeSnapshot(data []byte) (string, error) {
	s, err := snapshot.Decode(data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("snapshot %d, %s of %s: %d rows, %+d", s.ID, s.CommitKind, millis(s.TimeMillis), s.TotalRecordCount, s.DeltaRecordCount), nil
}

// millis is a time in milliseconds since the epoch, in UTC.
func millis(v int64) string {
	return time.UnixMilli(v).UTC().Format("2006-01-02 15:04:05.000")
}
