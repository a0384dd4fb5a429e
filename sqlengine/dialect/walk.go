package dialect

import (
	"reflect"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// walkTree calls visit for every pointer to a struct in the host's tree, parents
// first. The host's own Walk leaves parts out: the WITH of a UNION, a view's
// query, the branches of a stored program.
func walkTree(node any, visit func(node any) (descend bool)) {
	walkReflect(reflect.ValueOf(node), visit)
}

var (
	authType   = reflect.TypeFor[ast.AuthInformation]()
	tablePart  = reflect.TypeFor[ast.TableIdent]()
	columnPart = reflect.TypeFor[ast.ColIdent]()
	bytesType  = reflect.TypeFor[[]byte]()
	injectType = reflect.TypeFor[ast.InjectedExpr]()
)

func walkReflect(v reflect.Value, visit func(any) bool) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walkReflect(v.Elem(), visit)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Elem().Kind() != reflect.Struct || !v.CanInterface() {
			return
		}
		if visit(v.Interface()) {
			walkReflect(v.Elem(), visit)
		}
	case reflect.Slice:
		if v.Type() == bytesType {
			return
		}
		for i := range v.Len() {
			walkReflect(v.Index(i), visit)
		}
	case reflect.Struct:
		switch v.Type() {
		case authType, tablePart, columnPart:
			return
		case injectType:
			walkReflect(v.FieldByName("Children"), visit)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walkReflect(v.Field(i), visit)
			}
		}
	}
}
