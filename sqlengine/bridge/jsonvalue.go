package bridge

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func (e *Encoder) nested(dst *columnar.Vector, v any) error {
	var doc any
	switch x := v.(type) {
	case string:
		if err := decodeJSON(x, &doc); err != nil {
			return e.badJSON(err)
		}
	case []byte:
		if err := decodeJSON(string(x), &doc); err != nil {
			return e.badJSON(err)
		}
	case sql.JSONWrapper:
		s, err := gmstypes.JsonToMySqlString(x)
		if err != nil {
			return e.badJSON(err)
		}
		if err := decodeJSON(s, &doc); err != nil {
			return e.badJSON(err)
		}
	default:
		return e.badJSON(fmt.Errorf("a %T", v))
	}
	j := jsonAppender{loc: e.loc, name: e.name, row: e.row}
	if e.typ.Kind == types.Variant { // JSON's null is a variant
		return j.variant(dst, doc)
	}
	return j.append(dst, doc)
}

func (e *Encoder) badJSON(err error) error {
	return Errorf(CodeBadJSON, "Invalid JSON text: %v in value for column '%s' at row %d", err, e.name, e.row)
}

func decodeJSON(s string, doc *any) error {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if err := d.Decode(doc); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("more than one value")
	}
	return nil
}

// jsonAppender appends decoded JSON to vectors of nested types, in the forms that
// expr.AppendJSON writes.
type jsonAppender struct {
	loc  *time.Location
	name string
	row  int64
}

func (j *jsonAppender) errorf(format string, args ...any) error {
	return Errorf(CodeBadJSON, "Invalid JSON text: %s in value for column '%s' at row %d", fmt.Sprintf(format, args...), j.name, j.row)
}

func (j *jsonAppender) append(dst *columnar.Vector, doc any) error {
	if doc == nil {
		if dst.Type.NotNull {
			return j.errorf("null where the type says NOT NULL")
		}
		dst.AppendNull()
		return nil
	}
	switch dst.Type.Kind {
	case types.Array, types.Vector:
		return j.list(dst, doc)
	case types.Map:
		return j.mapping(dst, doc)
	case types.Multiset:
		return j.pairs(dst, doc, "[element, count]")
	case types.Row:
		return j.object(dst, doc)
	case types.Variant:
		return j.variant(dst, doc)
	}
	return j.flat(dst, doc)
}

func (j *jsonAppender) flat(dst *columnar.Vector, doc any) error {
	e := Encoder{name: j.name, typ: dst.Type, loc: j.loc, row: j.row - 1}
	switch x := doc.(type) {
	case json.Number:
		return e.Append(dst, x.String())
	case string:
		switch dst.Type.Kind {
		case types.Binary, types.VarBinary, types.Blob, types.Geometry, types.Geography:
			h, ok := strings.CutPrefix(x, "0x")
			if !ok {
				return j.errorf(`bytes must be written as "0x…"`)
			}
			raw, err := hex.DecodeString(h)
			if err != nil {
				return j.errorf("%v", err)
			}
			return e.Append(dst, raw)
		}
		return e.Append(dst, x)
	case bool:
		return e.Append(dst, x)
	}
	if dst.Type.Text() {
		raw, err := json.Marshal(doc)
		if err != nil {
			return j.errorf("%v", err)
		}
		return e.Append(dst, string(raw))
	}
	return j.errorf("a list or object where a %s is expected", typeName(dst.Type))
}

func (j *jsonAppender) variant(dst *columnar.Vector, doc any) error {
	value, metadata, err := columnar.EncodeVariant(doc)
	if err != nil {
		return j.errorf("%v", err)
	}
	dst.Children[0].AppendString(string(value))
	dst.Children[1].AppendString(string(metadata))
	dst.EndList()
	return nil
}

func (j *jsonAppender) list(dst *columnar.Vector, doc any) error {
	list, ok := doc.([]any)
	if !ok {
		return j.errorf("a list is expected")
	}
	if dst.Type.Kind == types.Vector && len(list) != dst.Type.Length {
		return j.errorf("%d elements where %d are expected", len(list), dst.Type.Length)
	}
	for _, x := range list {
		if err := j.append(dst.Children[0], x); err != nil {
			return err
		}
	}
	dst.EndList()
	return nil
}

func (j *jsonAppender) mapping(dst *columnar.Vector, doc any) error {
	m, ok := doc.(map[string]any)
	if !ok {
		return j.pairs(dst, doc, "[key, value]")
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if err := j.flat(dst.Children[0], k); err != nil {
			return err
		}
		if err := j.append(dst.Children[1], m[k]); err != nil {
			return err
		}
	}
	dst.EndList()
	return nil
}

func (j *jsonAppender) pairs(dst *columnar.Vector, doc any, form string) error {
	list, ok := doc.([]any)
	if !ok {
		return j.errorf("a list of %s is expected", form)
	}
	for _, x := range list {
		pair, ok := x.([]any)
		if !ok || len(pair) != 2 {
			return j.errorf("a list of %s is expected", form)
		}
		for k := range 2 {
			if err := j.append(dst.Children[k], pair[k]); err != nil {
				return err
			}
		}
	}
	dst.EndList()
	return nil
}

func (j *jsonAppender) object(dst *columnar.Vector, doc any) error {
	m, ok := doc.(map[string]any)
	if !ok {
		return j.errorf("an object is expected")
	}
	known := 0
	for i, f := range dst.Type.Fields {
		x, ok := m[f.Name]
		if ok {
			known++
		}
		if err := j.append(dst.Children[i], x); err != nil {
			return err
		}
	}
	if known < len(m) {
		for k := range m {
			if !slices.ContainsFunc(dst.Type.Fields, func(f types.Field) bool { return f.Name == k }) {
				return j.errorf("the row type has no field '%s'", k)
			}
		}
	}
	dst.EndList()
	return nil
}
