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

var exprType = reflect.TypeFor[ast.Expr]()

// mapExprs replaces the expressions that a node is made of, in place, but for itself.
// f is asked for the uppermost ones and goes on below them by itself.
func mapExprs(node any, f func(ast.Expr) ast.Expr) { mapReflect(reflect.ValueOf(node), f) }

func mapReflect(v reflect.Value, f func(ast.Expr) ast.Expr) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if e, ok := v.Interface().(ast.Expr); ok && v.CanSet() && v.Type() == exprType {
			v.Set(reflect.ValueOf(f(e)))
			return
		}
		mapReflect(v.Elem(), f)
	case reflect.Pointer:
		if !v.IsNil() {
			mapReflect(v.Elem(), f)
		}
	case reflect.Slice:
		if v.Type() == bytesType {
			return
		}
		for i := range v.Len() {
			mapReflect(v.Index(i), f)
		}
	case reflect.Struct:
		switch v.Type() {
		case authType, tablePart, columnPart, injectType:
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				mapReflect(v.Field(i), f)
			}
		}
	}
}
