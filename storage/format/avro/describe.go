package avro

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
)

// Describe prints what the header of a file says, for people: codec and schema.
func (*Format) Describe(w io.Writer, f fileio.File, path string) error {
	s := &source{f: f, path: path, size: f.SizeBytes()}
	b, err := s.exactly(len(magic), "magic")
	if err != nil {
		return err
	}
	if string(b) != magic {
		return corrupt.Errorf(path, 0, "file does not begin with the magic of avro files")
	}
	meta, err := readMetadata(s)
	if err != nil {
		return err
	}
	name := meta["avro.codec"]
	if name == "" {
		name = "null"
	}
	fmt.Fprintf(w, "avro, codec %s, schema:\n", name)
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(meta["avro.schema"]), "  ", "  "); err != nil {
		return corrupt.Errorf(path, 0, "schema: %w", err)
	}
	_, err = fmt.Fprintf(w, "  %s\n", text.Bytes())
	return err
}
