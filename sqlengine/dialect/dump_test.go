package dialect

import (
	"fmt"
	"reflect"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage/types"
)

// dump prints a statement of ours for scripts: one member a line, zero members
// and positions left out.
func dump(v any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(v), "")
	return strings.TrimPrefix(b.String(), "\n") + "\n"
}

func dumpValue(b *strings.Builder, v reflect.Value, indent string) {
	switch x := v.Interface().(type) {
	case types.Type:
		b.WriteString(x.String())
		return
	case hints.Set:
		for _, o := range x {
			fmt.Fprintf(b, "\n%s'%s' = '%s'", indent, o.Key, o.Value)
		}
		return
	case Partition:
		b.WriteString(partitionText(x))
		return
	case []Partition:
		for _, p := range x {
			b.WriteString(partitionText(p) + " ")
		}
		return
	case TableName:
		fmt.Fprintf(b, "%q", x.String())
		return
	case Text:
		fmt.Fprintf(b, "‹%s›", x.SQL)
		return
	case *string:
		fmt.Fprintf(b, "%q", *x)
		return
	case ast.Statement:
		b.WriteString(ast.String(x))
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		dumpValue(b, v.Elem(), indent)
	case reflect.Struct:
		fmt.Fprintf(b, "\n%s%s", indent, v.Type().Name())
		for i := range v.NumField() {
			f := v.Field(i)
			name := v.Type().Field(i).Name
			if f.IsZero() || name == "Pos" {
				continue
			}
			fmt.Fprintf(b, "\n%s  %s: ", indent, name)
			dumpValue(b, f, indent+"    ")
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			fmt.Fprintf(b, "%q", v.Interface())
			return
		}
		for i := range v.Len() {
			dumpValue(b, v.Index(i), indent)
		}
	case reflect.String:
		fmt.Fprintf(b, "%q", v.Interface())
	default:
		fmt.Fprintf(b, "%v", v.Interface())
	}
}
