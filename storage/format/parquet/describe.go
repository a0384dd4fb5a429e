package parquet

import (
	"fmt"
	"io"
	"strings"

	"github.com/lakesql/lakesql/storage/fileio"
)

// Describe prints what the footer of a file says, for people: the columns with
// their physical types, and each row group with its column chunks. It reads no page.
func (*Format) Describe(w io.Writer, f fileio.File, path string) error {
	ft, err := readFooter(f, path, nil)
	if err != nil {
		return err
	}
	m := ft.meta
	fmt.Fprintf(w, "parquet version %d by %q, %d rows in %d row groups\n", m.version, m.createdBy, m.rows, len(m.groups))
	fmt.Fprintln(w, "columns:")
	if len(m.schema) > 0 {
		describeSchema(w, m.schema[1:], int(m.schema[0].children), "  ")
	}
	for i := range m.groups {
		g := &m.groups[i]
		fmt.Fprintf(w, "row group %d: %d rows, %d bytes uncompressed\n", i, g.rows, g.bytes)
		for c := range g.columns {
			describeChunk(w, &g.columns[c])
		}
	}
	return nil
}

func (r repetition) String() string {
	switch r {
	case required:
		return "required"
	case optional:
		return "optional"
	case repeated:
		return "repeated"
	}
	return fmt.Sprintf("repetition %d", int32(r))
}

// describeSchema prints n elements with all below them and returns the rest.
func describeSchema(w io.Writer, elements []schemaElement, n int, indent string) []schemaElement {
	for ; n > 0 && len(elements) > 0; n-- {
		e := &elements[0]
		elements = elements[1:]
		kind := "group"
		if e.children == 0 {
			kind = e.typ.String()
		}
		if e.typ == pFixed {
			kind += fmt.Sprintf("(%d)", e.length)
		}
		fmt.Fprintf(w, "%s%s %s %s", indent, e.repetition, kind, e.name)
		if e.hasFieldID {
			fmt.Fprintf(w, " = %d", e.fieldID)
		}
		fmt.Fprintln(w)
		elements = describeSchema(w, elements, int(e.children), indent+"  ")
	}
	return elements
}

func describeChunk(w io.Writer, c *columnChunk) {
	name := fmt.Sprintf("codec %d", c.codec)
	if codec, err := codecOf(c.codec); err == nil {
		name = codec.String()
	}
	encodings := make([]string, len(c.encodings))
	for i, e := range c.encodings {
		encodings[i] = e.String()
	}
	start, _ := c.span()
	fmt.Fprintf(w, "  %s: %d values, %s, %s, %d of %d bytes at %d", strings.Join(c.path, "."), c.values,
		strings.Join(encodings, " "), name, c.compressedBytes, c.uncompressedBytes, start)
	if c.stats.nulls >= 0 {
		fmt.Fprintf(w, ", %d nulls", c.stats.nulls)
	}
	if c.offsetIndexAt > 0 {
		fmt.Fprint(w, ", page index")
	}
	fmt.Fprintln(w)
}
