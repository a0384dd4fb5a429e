package datafile

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

func testPaths(t *testing.T, c PathConfig) *Paths {
	t.Helper()
	c.TableDir = "/wh/db.db/t"
	p, err := NewPaths(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBucketDir(t *testing.T) {
	ts := []types.Type{types.String(), types.Of(types.Date)}
	fields := []types.Field{{Name: "dt=x", Type: ts[0]}, {Name: "day", Type: ts[1]}}
	for _, c := range []struct {
		conf   PathConfig
		vals   []columnar.Value
		bucket int
		want   string
	}{
		{PathConfig{}, nil, 3, "/wh/db.db/t/bucket-3"},
		{PathConfig{}, nil, -1, "/wh/db.db/t/bucket-0"},
		{PathConfig{}, nil, PostponeBucket, "/wh/db.db/t/bucket-postpone"},
		{PathConfig{DataDirectory: "data/x"}, nil, 0, "/wh/db.db/t/data/x/bucket-0"},
		{PathConfig{PartitionFields: fields}, []columnar.Value{columnar.StringValue("a/b"), columnar.IntValue(19723)}, 0, "/wh/db.db/t/dt%3Dx=a%2Fb/day=19723/bucket-0"},
		{PathConfig{PartitionFields: fields, PlainNames: true}, []columnar.Value{columnar.StringValue("a"), columnar.IntValue(19723)}, 0, "/wh/db.db/t/dt%3Dx=a/day=2024-01-01/bucket-0"},
		{PathConfig{PartitionFields: fields}, []columnar.Value{columnar.StringValue(" "), columnar.NullValue}, 0, "/wh/db.db/t/dt%3Dx=__DEFAULT_PARTITION__/day=__DEFAULT_PARTITION__/bucket-0"},
		{PathConfig{PartitionFields: fields, DefaultName: "no:ne"}, []columnar.Value{columnar.StringValue(""), columnar.IntValue(0)}, 0, "/wh/db.db/t/dt%3Dx=no%3Ane/day=0/bucket-0"},
	} {
		var partTypes []types.Type
		if c.vals != nil {
			partTypes = ts
		}
		got, err := testPaths(t, c.conf).BucketDir(row.Serialize(partTypes, c.vals), c.bucket)
		if err != nil || got != c.want {
			t.Errorf("%+v, %v: got %s, %v, want %s", c.conf, c.vals, got, err, c.want)
		}
	}
}

func TestFilePathsFollowTheExternalPath(t *testing.T) {
	p := testPaths(t, PathConfig{})
	unpartitioned := row.Serialize(nil, nil)
	inside, outside := &Meta{Name: "a.parquet"}, &Meta{Name: "a.parquet", ExternalPath: "s3://other/x/y/a.parquet"}
	for _, c := range []struct {
		m          *Meta
		file, side string
	}{
		{inside, "/wh/db.db/t/bucket-1/a.parquet", "/wh/db.db/t/bucket-1/a.parquet.index"},
		{outside, "s3://other/x/y/a.parquet", "s3://other/x/y/a.parquet.index"},
	} {
		file, err := p.File(unpartitioned, 1, c.m)
		if err != nil || file != c.file {
			t.Errorf("file: got %s, %v, want %s", file, err, c.file)
		}
		side, err := p.Beside(unpartitioned, 1, c.m, "a.parquet.index")
		if err != nil || side != c.side {
			t.Errorf("beside: got %s, %v, want %s", side, err, c.side)
		}
	}
	if _, err := p.File([]byte{0, 0, 0, 9}, 0, inside); err == nil {
		t.Error("damaged partition row gave a path")
	}
}

func TestPartitionTypesThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		typ         types.Type
		plain       bool
		open, write bool
	}{
		{types.Bytes(), false, false, false},
		{types.Bytes(), true, true, true},
		{types.ArrayOf(types.String()), true, false, false},
		{types.Of(types.Float), false, true, false},
		{types.Of(types.Double), true, true, false},
		{types.LTZOf(3), false, true, true},
		{types.LTZOf(3), true, true, false},
		{types.TimestampOf(3), true, true, true},
	} {
		p, err := NewPaths(PathConfig{PartitionFields: []types.Field{{Name: "p", Type: c.typ}}, PlainNames: c.plain})
		if (err == nil) != c.open {
			t.Errorf("%+v: %v, want to open %t", c.typ, err, c.open)
		}
		if err == nil {
			if err := p.CheckWrite(); (err == nil) != c.write {
				t.Errorf("%+v: %v, want to write %t", c.typ, err, c.write)
			} else if err != nil && !strings.Contains(err.Error(), "column p") {
				t.Errorf("%+v: %v does not name the column", c.typ, err)
			}
		}
	}
}

// A Java before 19 named the directory of 1.5E10 with more digits than we compute.
func TestOpenFindsAFloatPartition(t *testing.T) {
	ctx := context.Background()
	store := mem.New(time.Now)
	ts := []types.Type{types.String(), types.Of(types.Float)}
	p := testPaths(t, PathConfig{PartitionFields: []types.Field{{Name: "a", Type: ts[0]}, {Name: "f", Type: ts[1]}}})
	for _, dir := range []string{"a=x/f=1.0", "a=x/f=1.50000005E10", "a=y/f=1.50000005E10"} {
		if err := fileio.WriteFile(ctx, store, "/wh/db.db/t/"+dir+"/bucket-0/"+strings.ReplaceAll(dir, "/", ""), []byte(dir)); err != nil {
			t.Fatal(err)
		}
	}
	part := row.Serialize(ts, []columnar.Value{columnar.StringValue("x"), columnar.FloatValue(1.5e10)})
	f, path, err := p.Open(ctx, store, part, 0, &Meta{Name: "a=xf=1.50000005E10"})
	if err != nil || path != "/wh/db.db/t/a=x/f=1.50000005E10/bucket-0/a=xf=1.50000005E10" {
		t.Fatalf("got %s, %v", path, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"a=yf=1.50000005E10", "none"} {
		_, path, err := p.Open(ctx, store, part, 0, &Meta{Name: name})
		if !errors.Is(err, fileio.ErrNotFound) || path != "/wh/db.db/t/a=x/f=1.5E10/bucket-0/"+name {
			t.Errorf("%s: got %s, %v, want not found in the expected place", name, path, err)
		}
	}
}
