package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Row has a value for each column. ARRAY<INT>, the only nested type here, is kept
// as text: numbers and N for null, each with a comma behind it.
type Row []columnar.Value

// Clone is a copy of a row.
func (r Row) Clone() Row { return slices.Clone(r) }

// Text tells rows apart: equal rows of the fields have equal texts.
func (r Row) Text(fields []types.Field) string {
	var b strings.Builder
	for i, v := range r {
		switch {
		case v.Null:
			b.WriteString("NULL")
		case columnar.LayoutOf(fields[i].Type) == columnar.F64:
			b.WriteString(strconv.FormatFloat(v.F, 'g', -1, 64))
		case columnar.LayoutOf(fields[i].Type) == columnar.Str, fields[i].Type.Nested():
			b.WriteString(strconv.Quote(v.S))
		default:
			fmt.Fprintf(&b, "%d", v.I)
			if v.Hi != 0 {
				fmt.Fprintf(&b, "/%d", v.Hi)
			}
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// Texts are the sorted texts of rows.
func Texts(fields []types.Field, rows []Row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.Text(fields)
	}
	slices.Sort(out)
	return out
}

// Batch makes a batch of rows; kinds may be nil.
func Batch(fields []types.Field, rows []Row, kinds []types.RowKind) *columnar.Batch {
	b := columnar.NewBatch(types.FieldTypes(fields), len(rows))
	for _, r := range rows {
		for c, v := range r {
			appendValue(b.Cols[c], v)
		}
	}
	b.N, b.Kinds = len(rows), kinds
	return b
}

func appendValue(col *columnar.Vector, v columnar.Value) {
	switch {
	case v.Null:
		col.AppendNull()
	case col.Type.Kind == types.Array:
		for _, text := range strings.Split(v.S, ",") {
			switch text {
			case "":
			case "N":
				col.Children[0].AppendNull()
			default:
				n, _ := strconv.Atoi(text) // made by the harness
				col.Children[0].AppendI32(int32(n))
			}
		}
		col.EndList()
	default:
		col.AppendValue(v)
	}
}

// ValueAt is slot i of a vector.
func ValueAt(col *columnar.Vector, i int) columnar.Value {
	switch {
	case col.IsNull(i):
		return columnar.NullValue
	case col.Type.Kind == types.Array:
		var b strings.Builder
		for j := int(col.Off[i]); j < int(col.Off[i+1]); j++ {
			if col.Children[0].IsNull(j) {
				b.WriteString("N,")
			} else {
				fmt.Fprintf(&b, "%d,", col.Children[0].I32[j])
			}
		}
		return columnar.StringValue(b.String())
	}
	return col.Value(i)
}

// ReadAll reads a reader to its end and closes it.
func ReadAll(ctx context.Context, r columnar.Reader) (rows []Row, err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		b = b.Compact()
		for i := range b.N {
			row := make(Row, len(b.Cols))
			for c, col := range b.Cols {
				row[c] = ValueAt(col, i)
			}
			rows = append(rows, row)
		}
	}
}

// All is the places of all fields.
func All(fields []types.Field) []int {
	out := make([]int, len(fields))
	for i := range out {
		out[i] = i
	}
	return out
}

// Read reads a version of a table; fields are its columns.
func Read(ctx context.Context, tb *storage.Table, o storage.ViewOptions) (fields []types.Field, rows []Row, err error) {
	v, err := tb.View(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	defer v.Close()
	s, err := v.Scan(ctx, storage.ScanOptions{Columns: All(v.Schema().Fields)})
	if err != nil {
		return nil, nil, err
	}
	rows, err = ReadAll(ctx, s.Reader())
	return v.Schema().Fields, rows, err
}

// Write commits rows to a table as one statement.
func Write(ctx context.Context, tb *storage.Table, o storage.WriteOptions, rows []Row, kinds []types.RowKind) (storage.CommitResult, error) {
	v, err := tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return storage.CommitResult{}, err
	}
	defer v.Close()
	w := v.Write(o)
	if len(rows) > 0 {
		if err := w.Add(ctx, Batch(v.Schema().Fields, rows, kinds)); err != nil {
			w.Abort()
			return storage.CommitResult{}, err
		}
	}
	return w.Commit(ctx)
}

// Check runs the offline check: faults, and whether files are named by nothing.
func Check(ctx context.Context, env *storage.Env, dir string) (faults []string, orphans string, err error) {
	for p, err := range storage.CheckTable(ctx, env, dir) {
		switch {
		case err != nil:
			return faults, orphans, err
		case !p.Note:
			faults = append(faults, p.String())
		case strings.Contains(p.What, "named by no snapshot"):
			orphans = p.String()
		}
	}
	return faults, orphans, nil
}

// Differ tells the first differences of two lists of sorted texts; "" when equal.
func Differ(got, want []string) string {
	if slices.Equal(got, want) {
		return ""
	}
	count := map[string]int{}
	for _, g := range got {
		count[g]++
	}
	for _, w := range want {
		count[w]--
	}
	var more, less []string
	for text, n := range count {
		switch {
		case n > 0:
			more = append(more, text)
		case n < 0:
			less = append(less, text)
		}
	}
	slices.Sort(more)
	slices.Sort(less)
	return fmt.Sprintf("%d rows for %d; too many: %q; missing: %q", len(got), len(want), head(more), head(less))
}

func head(s []string) []string { return s[:min(len(s), 5)] }
