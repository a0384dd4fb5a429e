package manifest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lakesql/lakesql/storage/format/avroschema"
)

func seeds(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

func FuzzEntries(f *testing.F) {
	seeds(f, "testdata/*.manifest")
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodeEntries(t.Context(), data, &plans{})
		if err == nil {
			for i := range list {
				appendEntry(nil, &list[i])
			}
		}
	})
}

func FuzzList(f *testing.F) {
	seeds(f, "testdata/*.list")
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodeList(t.Context(), data, &plans{})
		if err == nil {
			for i := range list {
				appendFileMeta(nil, &list[i])
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	seeds(f, "testdata/*.index")
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodeIndex(t.Context(), data, &plans{})
		if err == nil {
			for i := range list {
				appendIndexEntry(nil, &list[i])
			}
		}
	})
}

// FuzzRecord reads a bare record, past the checksum that keeps the others from
// getting far.
func FuzzRecord(f *testing.F) {
	e, m, i := goldenEntryValue(), goldenMetaValue(), goldenIndexValue()
	f.Add(appendEntry(nil, &e))
	f.Add(appendFileMeta(nil, &m))
	f.Add(appendIndexEntry(nil, &i))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, plan := range []struct {
			get  func() (*avroschema.Type, error)
			read func(*avroschema.Type, *decoder) error
		}{
			{knownEntrySchema, func(n *avroschema.Type, d *decoder) error { _, err := readEntries(n, nil, 1, d); return err }},
			{knownListSchema, func(n *avroschema.Type, d *decoder) error { _, err := readFileMetas(n, nil, 1, d); return err }},
			{knownIndexSchema, func(n *avroschema.Type, d *decoder) error { _, err := readIndexEntries(n, nil, 1, d); return err }},
		} {
			n, err := plan.get()
			if err != nil {
				t.Fatal(err)
			}
			_ = plan.read(n, &decoder{buf: data})
			d := &decoder{buf: data}
			d.skip(n)
		}
	})
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(entrySchema))
	f.Add([]byte(listSchema))
	f.Add([]byte(indexSchema))
	f.Add([]byte(`["null",{"type":"record","name":"r","fields":[{"name":"a","type":"r"}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = compile(data, entryShape)
		_, _ = compile(data, indexShape)
	})
}
