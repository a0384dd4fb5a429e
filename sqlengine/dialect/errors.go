package dialect

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/mysql"
)

// MySQL error numbers that a Parser returns.
const (
	codeSyntax      = 1064 // ER_PARSE_ERROR, 42000
	codeCantGroup   = 1056 // ER_WRONG_GROUP_FIELD, 42000
	codeTwoColumns  = 1060 // ER_DUP_FIELDNAME, 42S21
	codeTwoKeys     = 1068 // ER_MULTIPLE_PRI_KEY, 42000
	codeSeparators  = 1083 // ER_WRONG_FIELD_TERMINATORS, 42000
	codeGroupUse    = 1111 // ER_INVALID_GROUP_FUNC_USE, HY000
	codeUnsupported = 1235 // ER_NOT_SUPPORTED_YET, 42000
	codeNoAlias     = 1248 // ER_DERIVED_MUST_HAVE_ALIAS, 42000
	codeNoEngine    = 1286 // ER_UNKNOWN_STORAGE_ENGINE, 42000
	codeSecureFile  = 1290 // ER_OPTION_PREVENTS_STATEMENT, HY000
	codeUnprepared  = 1295 // ER_UNSUPPORTED_PS, HY000
	codeWindowUse   = 3593 // ER_WINDOW_INVALID_WINDOW_FUNC_USE, HY000
	codeNotGrouped  = 3602 // ER_FIELD_IN_GROUPING_NOT_GROUP_BY, HY000
	codeWrongValue  = 1525 // ER_WRONG_VALUE, HY000: a date or time literal
)

// noAlias is what host and MySQL say of a derived table without a name.
const noAlias = "Every derived table must have its own alias"

// Error is a fault in the text of a statement.
type Error struct {
	Code    int    // MySQL error number
	State   string // SQLSTATE
	Message string // complete, with line where it helps
	Pos     int    // byte offset in the typed statement
	Line    int    // 1 is the statement's first line
	Column  int    // in characters, 1 is the first
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the error as the host's protocol code knows it, so that number
// and SQLSTATE reach the client.
func (e *Error) Unwrap() error {
	return &mysql.SQLError{Num: e.Code, State: e.State, Message: e.Message}
}

// nearMax is the length in bytes to which MySQL cuts the text after "near".
const nearMax = 80

// syntaxError says that the statement src is wrong at byte pos. detail, such as
// "expected ')'", may be "".
func syntaxError(src string, pos int, detail string) *Error {
	pos = min(max(pos, 0), len(src))
	near := src[pos:]
	if len(near) > nearMax {
		cut := nearMax
		for cut > 0 && !utf8.RuneStart(near[cut]) {
			cut--
		}
		near = near[:cut]
	}
	if detail == "" {
		detail = "check the manual that corresponds to your MySQL server version for the right syntax to use"
	}
	e := &Error{Code: codeSyntax, State: "42000", Pos: pos}
	e.locate(src)
	e.Message = fmt.Sprintf("You have an error in your SQL syntax; %s near '%s' at line %d", detail, near, e.Line)
	return e
}

// unsupported says that a feature is refused, by its name.
func unsupported(pos int, feature string) *Error {
	return &Error{Code: codeUnsupported, State: "42000", Pos: pos,
		Message: "lakesql does not support " + feature}
}

func twoColumns(pos int, name string) *Error {
	return &Error{Code: codeTwoColumns, State: "42S21", Pos: pos, Message: "Duplicate column name '" + name + "'"}
}

func twoKeys(pos int) *Error {
	return &Error{Code: codeTwoKeys, State: "42000", Pos: pos, Message: "Multiple primary key defined"}
}

func (e *Error) locate(src string) {
	before := src[:min(max(e.Pos, 0), len(src))]
	e.Line = strings.Count(before, "\n") + 1
	e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
