package datafile

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// DefaultPartitionName is the default of option partition.default-name.
const DefaultPartitionName = "__DEFAULT_PARTITION__"

// PostponeBucket is the bucket of rows whose bucket is not chosen yet.
const PostponeBucket = -2

// PathConfig says where the data files of a table lie.
type PathConfig struct {
	TableDir string
	// DataDirectory is option data-file.path-directory: a folder inside the table
	// directory, or "".
	DataDirectory string
	// PartitionFields are the partition columns in partition-key order.
	PartitionFields []types.Field
	// DefaultName is option partition.default-name; "" is DefaultPartitionName.
	DefaultName string
	// PlainNames is the opposite of option partition.legacy-name, whose default is true.
	PlainNames bool
}

// Paths computes where data files lie. It is immutable and safe to share.
//
// Directories of partitions are stored nowhere: every reader computes them from
// the partition row, so the form of each value must be exactly that of the
// writer, see docs/format.
type Paths struct {
	c     PathConfig
	types []types.Type
	loose bool // some partition's directory cannot be computed for certain
}

// NewPaths checks c. Partition columns of a type that has no directory name are
// refused: BINARY and VARBINARY with legacy names, and nested types.
func NewPaths(c PathConfig) (*Paths, error) {
	if c.DefaultName == "" {
		c.DefaultName = DefaultPartitionName
	}
	p := &Paths{c: c}
	for _, f := range c.PartitionFields {
		switch f.Type.Kind {
		case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Decimal,
			types.Char, types.VarChar, types.Date, types.Time, types.Timestamp:
		case types.Float, types.Double:
			p.loose = true
		case types.TimestampLTZ:
			p.loose = p.loose || c.PlainNames
		case types.Binary, types.VarBinary:
			if !c.PlainNames {
				return nil, fmt.Errorf("partition column %s: %s has no directory name", f.Name, kindName(f.Type))
			}
		default:
			return nil, fmt.Errorf("partition column %s: %s cannot be a partition column", f.Name, kindName(f.Type))
		}
		p.types = append(p.types, f.Type)
	}
	return p, nil
}

// CheckWrite refuses partition columns whose directories depend on the Java that
// reads them: FLOAT and DOUBLE (older Javas print other digits) and, with plain
// names, TIMESTAMP WITH LOCAL TIME ZONE (printed in the reader's zone).
func (p *Paths) CheckWrite() error {
	for _, f := range p.c.PartitionFields {
		switch k := f.Type.Kind; {
		case k == types.Float || k == types.Double:
			return fmt.Errorf("partition column %s: writing is refused, the directory name of a %s differs between Java releases", f.Name, kindName(f.Type))
		case k == types.TimestampLTZ && p.c.PlainNames:
			return fmt.Errorf("partition column %s: writing is refused, with partition.legacy-name = false the directory name of a %s depends on the reader's zone", f.Name, kindName(f.Type))
		}
	}
	return nil
}

// Values decodes a serialised partition row.
func (p *Paths) Values(partition []byte) ([]columnar.Value, error) {
	vals, err := row.Deserialize(p.types, partition)
	if err != nil {
		return nil, fmt.Errorf("decode partition row: %w", err)
	}
	return vals, nil
}

// PartitionDir is the directory of a partition relative to the data directory,
// as in "dt=2024-01-01/hour=7"; "" in a table without partitions.
func (p *Paths) PartitionDir(vals []columnar.Value) (string, error) {
	if len(vals) != len(p.types) {
		return "", fmt.Errorf("partition row has %d values, want %d", len(vals), len(p.types))
	}
	var b strings.Builder
	for i, f := range p.c.PartitionFields {
		text := ""
		if !vals[i].Null {
			var err error
			if text, err = partitionText(f.Type, vals[i], !p.c.PlainNames); err != nil {
				return "", fmt.Errorf("partition column %s: %w", f.Name, err)
			}
		}
		if blank(text) {
			text = p.c.DefaultName
		}
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(escapePath(f.Name))
		b.WriteByte('=')
		b.WriteString(escapePath(text))
	}
	return b.String(), nil
}

// BucketName is the last element of a bucket's directory. Bucket -1, as unaware
// tables number their only bucket in memory, is bucket 0 on disk.
func BucketName(bucket int) string {
	switch bucket {
	case PostponeBucket:
		return "bucket-postpone"
	case -1:
		return "bucket-0"
	}
	return "bucket-" + strconv.Itoa(bucket)
}

// DataDir is the directory above the partitions.
func (p *Paths) DataDir() string {
	if p.c.DataDirectory == "" {
		return p.c.TableDir
	}
	return fileio.Join(p.c.TableDir, p.c.DataDirectory)
}

// PartitionColumns is how many levels of directories partitions have.
func (p *Paths) PartitionColumns() int { return len(p.types) }

// BucketDir is the directory of a bucket of the partition with this serialised row.
func (p *Paths) BucketDir(partition []byte, bucket int) (string, error) {
	vals, err := p.Values(partition)
	if err != nil {
		return "", err
	}
	dir, err := p.PartitionDir(vals)
	if err != nil {
		return "", err
	}
	return fileio.Join(p.DataDir(), dir, BucketName(bucket)), nil
}

// File is the path of a data file: its external path as it stands, else its name
// in the bucket's directory.
func (p *Paths) File(partition []byte, bucket int, m *Meta) (string, error) {
	if m.ExternalPath != "" {
		return m.ExternalPath, nil
	}
	dir, err := p.BucketDir(partition, bucket)
	if err != nil {
		return "", err
	}
	return fileio.Join(dir, m.Name), nil
}

// Beside is the path of an extra file of m, such as its index: in the directory
// of the data file.
func (p *Paths) Beside(partition []byte, bucket int, m *Meta, name string) (string, error) {
	file, err := p.File(partition, bucket, m)
	if err != nil {
		return "", err
	}
	return file[:strings.LastIndexByte(file, '/')+1] + name, nil
}

// Open opens a data file. Where the directory of a partition cannot be computed
// for certain (see CheckWrite), a file that is not in the expected place is looked
// for in the partition directories that could be meant. The path is that of the
// file that was opened, or the expected one with an error.
func (p *Paths) Open(ctx context.Context, r fileio.Reader, partition []byte, bucket int, m *Meta) (fileio.File, string, error) {
	file, err := p.File(partition, bucket, m)
	if err != nil {
		return nil, m.Name, err
	}
	f, err := r.Open(ctx, file)
	if err == nil || !p.loose || m.ExternalPath != "" || !errors.Is(err, fileio.ErrNotFound) {
		return f, file, err
	}
	missing := err
	dirs, err := p.candidates(ctx, r, partition)
	if err != nil {
		return nil, file, err
	}
	for _, dir := range dirs {
		other := fileio.Join(dir, BucketName(bucket), m.Name)
		if f, err := r.Open(ctx, other); !errors.Is(err, fileio.ErrNotFound) {
			return f, other, err
		}
	}
	return nil, file, missing
}

// candidates lists the partition directories that agree with the row in the
// columns whose names are certain.
func (p *Paths) candidates(ctx context.Context, r fileio.Reader, partition []byte) ([]string, error) {
	vals, err := p.Values(partition)
	if err != nil {
		return nil, err
	}
	rel, err := p.PartitionDir(vals)
	if err != nil {
		return nil, err
	}
	dirs := []string{p.DataDir()}
	for i, name := range strings.Split(rel, "/") {
		k := p.types[i].Kind
		certain := vals[i].Null || k != types.Float && k != types.Double && (k != types.TimestampLTZ || !p.c.PlainNames)
		var next []string
		for _, dir := range dirs {
			if certain {
				next = append(next, fileio.Join(dir, name))
				continue
			}
			children, err := r.List(ctx, dir)
			if err != nil {
				return nil, err
			}
			for _, c := range children {
				if c.Dir && strings.HasPrefix(c.Name, escapePath(p.c.PartitionFields[i].Name)+"=") {
					next = append(next, fileio.Join(dir, c.Name))
				}
			}
		}
		dirs = next
	}
	return dirs, nil
}
