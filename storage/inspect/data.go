package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// describer is the extra power of a format that can print what a file says about
// itself.
type describer interface {
	Describe(w io.Writer, f fileio.File, path string) error
}

// dataFile prints a data file and its first rows.
func (p *printer) dataFile(ctx context.Context, name string) error {
	f, ok := p.Formats[name]
	if !ok {
		return fmt.Errorf("inspect %s: file format %s is not supported", p.path, name)
	}
	if d, ok := f.(describer); ok {
		if err := d.Describe(p.out, p.file, p.path); err != nil {
			return err
		}
	}
	if p.table == nil {
		p.linef("rows are not shown: the file does not lie in a table's directory")
		return nil
	}
	return p.rows(ctx, f)
}

// rows prints the first rows under the newest schema: what schema the file was
// written with is in its manifest alone.
func (p *printer) rows(ctx context.Context, f format.Format) (err error) {
	fields := columns(p.table.latest)
	r, err := f.Open(ctx, p.file, p.path, format.ReadOptions{Fields: fields, BatchRows: max(p.Rows, 1)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	shown := 0
	for shown < p.Rows {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		b = b.Compact()
		for i := 0; i < b.N && shown < p.Rows; i++ {
			if shown == 0 {
				p.linef("rows, with the columns of schema %d:", p.table.latest.ID)
			}
			p.linef("  %s", showSlots(fields, b.Cols, i))
			shown++
		}
	}
	return nil
}

// columns are those of a data file: with a primary key, sequence number and row
// kind come first. All are read as nullable: the file may have been written
// before a column was added.
func columns(s *schema.Schema) []types.Field {
	var out []types.Field
	if s.HasPrimaryKey() {
		out = append(out,
			types.Field{ID: types.SequenceNumberID, Name: types.SequenceNumberName, Type: types.Of(types.BigInt)},
			types.Field{ID: types.ValueKindID, Name: types.ValueKindName, Type: types.Of(types.TinyInt)})
	}
	for _, f := range s.Fields {
		f.Type = f.Type.WithNotNull(false)
		out = append(out, f)
	}
	return out
}

// showSlots shows row i.
func showSlots(fields []types.Field, cols []*columnar.Vector, i int) string {
	parts := make([]string, 0, len(cols))
	for c, v := range cols {
		name := fields[c].Name
		switch {
		case name == types.ValueKindName && !v.IsNull(i):
			parts = append(parts, types.RowKind(v.I32[i]).String())
		case name == types.SequenceNumberName && !v.IsNull(i):
			parts = append(parts, fmt.Sprintf("#%d", v.I64[i]))
		default:
			parts = append(parts, name+"="+showSlot(fields[c].Type, v, i))
		}
	}
	return strings.Join(parts, " ")
}

// showSlot shows a value of any type.
func showSlot(t types.Type, v *columnar.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	if !t.Nested() {
		return showValue(t, v.Value(i))
	}
	if t.Kind == types.Variant {
		text, err := columnar.AppendVariantJSON(nil, v.Children[0].Bytes(i), v.Children[1].Bytes(i))
		if err != nil {
			return fmt.Sprintf("unreadable: %v", err)
		}
		return string(text)
	}
	kids := columnar.ChildTypes(t)
	var parts []string
	switch columnar.LayoutOf(t) {
	case columnar.Struct:
		for c, child := range v.Children {
			parts = append(parts, t.Fields[c].Name+"="+showSlot(kids[c], child, i))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case columnar.Fixed:
		for j := i * t.Length; j < (i+1)*t.Length; j++ {
			parts = append(parts, showSlot(kids[0], v.Children[0], j))
		}
	default:
		for j := int(v.Off[i]); j < int(v.Off[i+1]); j++ {
			text := showSlot(kids[0], v.Children[0], j)
			if len(kids) > 1 {
				text += ": " + showSlot(kids[1], v.Children[1], j)
			}
			parts = append(parts, text)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
