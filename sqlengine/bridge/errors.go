package bridge

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/dolthub/vitess/go/vt/vterrors"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// Code is a MySQL error number with its SQLSTATE.
type Code struct {
	Num   int
	State string
}

// The codes that lakesql raises itself or maps the host's errors to, by number.
var (
	CodeNoStat           = Code{13, "HY000"}
	CodeNoFile           = Code{29, "HY000"}
	CodeDBExists         = Code{1007, "HY000"}
	CodeDBDropMissing    = Code{1008, "HY000"}
	CodeDiskFull         = Code{1021, "HY000"}
	CodeTableReadOnly    = Code{1036, "HY000"}
	CodeOutOfMemory      = Code{1037, "HY001"}
	CodeDBAccessDenied   = Code{1044, "42000"}
	CodeAccessDenied     = Code{1045, "28000"}
	CodeNoDatabase       = Code{1046, "3D000"}
	CodeUnknownCommand   = Code{1047, "08S01"}
	CodeBadNull          = Code{1048, "23000"}
	CodeBadDatabase      = Code{1049, "42000"}
	CodeTableExists      = Code{1050, "42S01"}
	CodeBadTable         = Code{1051, "42S02"}
	CodeAmbiguous        = Code{1052, "23000"}
	CodeBadField         = Code{1054, "42S22"}
	CodeWrongGroupField  = Code{1055, "42000"}
	CodeCantGroup        = Code{1056, "42000"}
	CodeDuplicateColumn  = Code{1060, "42S21"}
	CodeDuplicateKeyName = Code{1061, "42000"}
	CodeDuplicateEntry   = Code{1062, "23000"}
	CodeParse            = Code{1064, "42000"}
	CodeEmptyQuery       = Code{1065, "42000"}
	CodeNonuniqueTable   = Code{1066, "42000"}
	CodeInvalidDefault   = Code{1067, "42000"}
	CodeKeyColumnMissing = Code{1072, "42000"}
	CodeInvalidTable     = Code{1074, "42000"}
	CodeWrongSeparators  = Code{1083, "42000"}
	CodeCantDropField    = Code{1091, "42000"}
	CodeUpdateTableUsed  = Code{1093, "HY000"}
	CodeNoSuchThread     = Code{1094, "HY000"}
	CodeWrongName        = Code{1103, "42000"}
	CodeUnknown          = Code{1105, "HY000"}
	CodeFieldTwice       = Code{1110, "42000"}
	CodeUnknownCharset   = Code{1115, "42000"}
	CodeColumnCount      = Code{1136, "21S01"}
	CodeMixGroup         = Code{1140, "42000"}
	CodeNoGrant          = Code{1141, "42000"}
	CodeTableDenied      = Code{1142, "42000"}
	CodeNoSuchTable      = Code{1146, "42S02"}
	CodePacketTooLarge   = Code{1153, "08S01"}
	CodeOutOfOrder       = Code{1156, "08S01"}
	CodePKNull           = Code{1171, "42000"}
	CodeUnknownVariable  = Code{1193, "HY000"}
	CodeBadArguments     = Code{1210, "HY000"}
	CodeDeadlock         = Code{1213, "40001"}
	CodeUnionColumns     = Code{1222, "21000"}
	CodeLocalVariable    = Code{1228, "HY000"}
	CodeGlobalVariable   = Code{1229, "HY000"}
	CodeWrongVariable    = Code{1231, "42000"}
	CodeNotSupported     = Code{1235, "42000"}
	CodeReadOnlyVariable = Code{1238, "HY000"}
	CodeOperandColumns   = Code{1241, "21000"}
	CodeSubqueryRows     = Code{1242, "21000"}
	CodeUnknownStmt      = Code{1243, "HY000"}
	CodeTooFewFields     = Code{1261, "01000"}
	CodeTooManyFields    = Code{1262, "01000"}
	CodeNullToNotNull    = Code{1263, "22004"}
	CodeOutOfRange       = Code{1264, "22003"}
	CodeDataTruncated    = Code{1265, "01000"}
	CodeCollationUnknown = Code{1273, "HY000"}
	CodeReadOnly         = Code{1290, "HY000"}
	CodeBadValue         = Code{1292, "22007"}
	CodeUnpreparable     = Code{1295, "HY000"}
	CodeUnknownTimeZone  = Code{1298, "HY000"}
	CodeBadCharacter     = Code{1300, "HY000"}
	CodeLongResult       = Code{1301, "HY000"}
	CodeDatetimeOverflow = Code{1441, "22008"}
	CodeDistinctOrder    = Code{3065, "HY000"}
	CodeNoFunction       = Code{1305, "42000"}
	CodeInterrupted      = Code{1317, "70100"}
	CodeNoDefault        = Code{1364, "HY000"}
	CodeDivisionByZero   = Code{1365, "22012"}
	CodeWrongValue       = Code{1366, "HY000"}
	CodeIllegalValue     = Code{1367, "22007"}
	CodeManyParameters   = Code{1390, "HY000"}
	CodeTooLong          = Code{1406, "22001"}
	CodeTooBigPrecision  = Code{1426, "42000"}
	CodeTimeOverflow     = Code{1441, "22008"}
	CodeForbidSchema     = Code{1450, "HY000"}
	CodeWrongArguments   = Code{1582, "42000"}
	CodeNonASCII         = Code{1638, "HY000"}
	CodeOverflow         = Code{1690, "22003"}
	CodeReadOnlyTx       = Code{1792, "25006"}
	CodeMalformed        = Code{1835, "HY000"}
	CodeUnknownOption    = Code{1911, "HY000"}
	CodeOptionValue      = Code{1912, "HY000"}
	CodeMaxTime          = Code{3024, "HY000"}
	CodeBadJSON          = Code{3140, "22032"}
	CodeBadJSONArgument  = Code{3141, "22032"}
	CodeRoleNotGranted   = Code{3530, "HY000"}
	CodeFrameBound       = Code{3586, "HY000"}
	CodeFrameOrder       = Code{3587, "HY000"}
	CodeLocalDisabled    = Code{3948, "42000"}
)

// Errorf is an error with a MySQL code. The format may wrap with %w.
func Errorf(c Code, format string, args ...any) error {
	return &codedError{c, fmt.Errorf(format, args...)}
}

// WithCode gives err a MySQL code.
func WithCode(c Code, err error) error {
	if err == nil {
		return nil
	}
	return &codedError{c, err}
}

type codedError struct {
	code Code
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// SQLError is err as the protocol sends it. A nil err gives nil. It never panics
// and never gives a number of 0.
func SQLError(err error) *mysql.SQLError {
	if err == nil {
		return nil
	}
	var done *mysql.SQLError
	if errors.As(err, &done) {
		return withState(done)
	}
	var coded *codedError
	if errors.As(err, &coded) {
		return newSQLError(coded.code, coded.Error())
	}
	if errors.Is(err, context.Canceled) {
		return newSQLError(CodeInterrupted, "Query execution was interrupted")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return newSQLError(CodeMaxTime, "Query execution was interrupted, maximum statement execution time exceeded")
	}
	var limit *membudget.LimitError
	if errors.As(err, &limit) {
		return newSQLError(CodeOutOfMemory, limit.Error())
	}
	if e := storageError(err); e != nil {
		return e
	}
	return hostError(err)
}

func newSQLError(c Code, msg string) *mysql.SQLError {
	return &mysql.SQLError{Num: c.Num, State: c.State, Message: msg}
}

// withState gives host errors, which mostly say HY000, the state of their number.
func withState(e *mysql.SQLError) *mysql.SQLError {
	if e.State != "" && e.State != "HY000" {
		return e
	}
	for _, c := range []Code{
		CodeAccessDenied, CodeBadNull, CodeBadDatabase, CodeNoSuchTable, CodeBadField, CodeDuplicateEntry, CodeDeadlock,
		CodeFieldTwice, CodeOperandColumns, CodeSubqueryRows, CodeCantDropField, CodeKeyColumnMissing, CodeInterrupted,
	} {
		if c.Num == e.Num {
			return newSQLError(c, e.Message)
		}
	}
	return e
}

// firstOf is the first of several errors that were joined, which the host's kinds do
// not look into.
func firstOf(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok || len(joined.Unwrap()) == 0 {
			return err
		}
		err = joined.Unwrap()[0]
	}
}

// hostError maps the host's error kinds. Texts follow MySQL's where clients or
// people look for them.
func hostError(err error) *mysql.SQLError {
	err = sql.UnwrapError(firstOf(err))
	msg := err.Error()
	if se, ok := vterrors.AsSyntaxError(err); ok {
		return newSQLError(CodeParse, syntaxText(se.Error()))
	}
	if errors.Is(err, sqlparser.ErrEmpty) {
		return newSQLError(CodeEmptyQuery, "Query was empty")
	}
	for _, m := range hostCodes() {
		if !m.kind.Is(err) {
			continue
		}
		if m.text != nil {
			if t := m.text.FindStringSubmatch(msg); t != nil {
				return newSQLError(m.code, expand(m.form, t))
			}
		}
		return newSQLError(m.code, msg)
	}
	if f := reBadFloat.FindStringSubmatch(msg); f != nil {
		return newSQLError(CodeIllegalValue, "Illegal double '"+f[1]+"' value found during parsing")
	}
	if strings.HasPrefix(msg, "internal error") {
		return newSQLError(CodeUnknown, msg)
	}
	for _, p := range textCodes() {
		if p.text.MatchString(msg) {
			return newSQLError(p.code, p.text.ReplaceAllString(msg, p.to))
		}
	}
	return withState(sql.CastSQLError(err))
}

func syntaxText(msg string) string {
	if strings.HasPrefix(msg, "You have an error") {
		return msg
	}
	return "You have an error in your SQL syntax: " + msg
}

func expand(form string, groups []string) string {
	for i := len(groups) - 1; i > 0; i-- {
		form = strings.ReplaceAll(form, fmt.Sprintf("$%d", i), groups[i])
	}
	return form
}

// hostCode maps one kind of host error; text and form, when set, turn the host's
// wording into MySQL's.
type hostCode struct {
	kind *kinds.Kind
	code Code
	text *regexp.Regexp
	form string
}

var (
	reColumnNotFound = regexp.MustCompile(`^column "(.*)" could not be found in any table in scope$`)
	reTableColumn    = regexp.MustCompile(`^table "(.*)" does not have column "(.*)"$`)
	reTableExists    = regexp.MustCompile(`^table with name (.*) already exists$`)
	reTableNotFound  = regexp.MustCompile(`^table not found: ([^,]*)`)
	reDBNotFound     = regexp.MustCompile(`^database not found: (.*)$`)
	reDBExists       = regexp.MustCompile(`^can't create database (.*); database exists$`)
	reNotNull        = regexp.MustCompile(`^column name '(.*)' is non-nullable but attempted to set a value of null$`)
	reTooLong        = regexp.MustCompile(`(?s)^string '.*' is too large for column '(.*)'$`)
	reFieldTwice     = regexp.MustCompile(`^column '(.*)' specified twice$`)
	reAmbiguous      = regexp.MustCompile(`^ambiguous column name "(.*)", it's present`)
	reDupAlias       = regexp.MustCompile(`^Not unique table/alias: (.*)$`)
	reAny            = regexp.MustCompile(`.*`)
	reBadFloat       = regexp.MustCompile(`^strconv.ParseFloat: parsing "(.*)": value out of range`)
	reVariable       = regexp.MustCompile(`^Unknown system variable '@@(?:session\.|global\.)?(.*)'$`)
	reProcedure      = regexp.MustCompile(`^stored procedure "(.*)" does not exist$`)
	reFunction       = regexp.MustCompile(`^function: '(.*)' not found$`)
)

func hostCodes() []hostCode {
	return []hostCode{
		{sql.ErrTableNotFound, CodeNoSuchTable, reTableNotFound, "Table '$1' doesn't exist"},
		{sql.ErrUnknownTable, CodeBadTable, nil, ""},
		{sql.ErrColumnNotFound, CodeBadField, reColumnNotFound, "Unknown column '$1' in 'field list'"},
		{sql.ErrTableColumnNotFound, CodeBadField, reTableColumn, "Unknown column '$1.$2' in 'field list'"},
		{sql.ErrUnknownColumn, CodeBadField, nil, ""},
		{sql.ErrTableAlreadyExists, CodeTableExists, reTableExists, "Table '$1' already exists"},
		{sql.ErrExistingView, CodeTableExists, nil, ""},
		{sql.ErrViewDoesNotExist, CodeBadTable, nil, ""},
		{sql.ErrDatabaseNotFound, CodeBadDatabase, reDBNotFound, "Unknown database '$1'"},
		{sql.ErrDatabaseExists, CodeDBExists, reDBExists, "Can't create database '$1'; database exists"},
		{sql.ErrNoDatabaseSelected, CodeNoDatabase, nil, ""},
		{sql.ErrInsertIntoNonNullableProvidedNull, CodeBadNull, reNotNull, "Column '$1' cannot be null"},
		{sql.ErrInsertIntoNonNullableDefaultNullColumn, CodeNoDefault, nil, ""},
		{sql.ErrInsertIntoMismatchValueCount, CodeColumnCount, reAny, "Column count doesn't match value count at row 1"},
		{sql.ErrColValCountMismatch, CodeColumnCount, nil, ""},
		{sql.ErrColumnSpecifiedTwice, CodeFieldTwice, reFieldTwice, "Column '$1' specified twice"},
		{sql.ErrColumnExists, CodeDuplicateColumn, nil, ""},
		{sql.ErrDuplicateColumn, CodeDuplicateColumn, nil, ""},
		{sql.ErrDuplicateKey, CodeDuplicateKeyName, nil, ""},
		{sql.ErrKeyColumnDoesNotExist, CodeKeyColumnMissing, nil, ""},
		{sql.ErrCantDropFieldOrKey, CodeCantDropField, nil, ""},
		{sql.ErrAmbiguousColumnName, CodeAmbiguous, reAmbiguous, "Column '$1' in field list is ambiguous"},
		{sql.ErrAmbiguousColumnOrAliasName, CodeAmbiguous, nil, ""},
		{sql.ErrAmbiguousColumnInOrderBy, CodeAmbiguous, nil, ""},
		{sql.ErrDuplicateAliasOrTable, CodeNonuniqueTable, reDupAlias, "Not unique table/alias: '$1'"},
		{sql.ErrSyntaxError, CodeParse, nil, ""},
		{sql.ErrInvalidSyntax, CodeParse, nil, ""},
		{sql.ErrUnsupportedSyntax, CodeNotSupported, nil, ""},
		{sql.ErrUnsupportedFeature, CodeNotSupported, nil, ""},
		{sql.ErrFunctionNotFound, CodeNoFunction, reFunction, "FUNCTION $1 does not exist"},
		{sql.ErrTableFunctionNotFound, CodeNoFunction, nil, ""},
		{sql.ErrStoredProcedureDoesNotExist, CodeNoFunction, reProcedure, "PROCEDURE $1 does not exist"},
		{sql.ErrEventsNotSupported, CodeNotSupported, reAny, "lakesql does not support EVENTs"},
		{sql.ErrInvalidArgumentNumber, CodeWrongArguments, nil, ""},
		{sql.ErrNonAggregatedColumnWithoutGroupBy, CodeMixGroup, nil, ""},
		{analyzererrors.ErrValidationGroupBy, CodeWrongGroupField, nil, ""},
		{sql.ErrColumnNumberDoesNotMatch, CodeUnionColumns, nil, ""},
		{planbuilder.ErrUnionSchemasDifferentLength, CodeUnionColumns, nil, ""},
		{planbuilder.ErrPrimaryKeyOnNullField, CodePKNull, nil, ""},
		{sql.ErrUnknownSystemVariable, CodeUnknownVariable, reVariable, "Unknown system variable '$1'"},
		{sql.ErrInvalidSystemVariableValue, CodeWrongVariable, nil, ""},
		{sql.ErrSystemVariableReadOnly, CodeReadOnlyVariable, nil, ""},
		{sql.ErrSystemVariableSessionOnly, CodeLocalVariable, nil, ""},
		{sql.ErrSystemVariableGlobalOnly, CodeGlobalVariable, nil, ""},
		{sql.ErrUnknownPreparedStatement, CodeUnknownStmt, nil, ""},
		{sql.ErrInvalidColumnDefaultValue, CodeInvalidDefault, nil, ""},
		{sql.ErrIncompatibleDefaultType, CodeInvalidDefault, nil, ""},
		{sql.ErrReadOnly, CodeReadOnly, nil, ""},
		{sql.ErrReadOnlyTransaction, CodeReadOnlyTx, nil, ""},
		{sql.ErrDatabaseAccessDeniedForUser, CodeDBAccessDenied, nil, ""},
		{sql.ErrTableAccessDeniedForUser, CodeTableDenied, nil, ""},
		{sql.ErrPrivilegeCheckFailed, CodeTableDenied, nil, ""},
		{sql.ErrCollationUnknown, CodeCollationUnknown, nil, ""},
		{sql.ErrCharSetUnknown, CodeUnknownCharset, nil, ""},
		{sql.ErrExpectedSingleRow, CodeSubqueryRows, nil, ""},
		{sql.ErrMoreThanOneRow, CodeSubqueryRows, nil, ""},
		{sql.ErrValueOutOfRange, CodeOutOfRange, nil, ""},
		{expression.ErrIntDivDataOutOfRange, CodeOverflow, nil, ""},
		{gmstypes.ErrConvertToDecimalLimit, CodeOutOfRange, nil, ""},
		{gmstypes.ErrConvertingToDecimal, CodeWrongValue, nil, ""},
		{gmstypes.ErrLengthBeyondLimit, CodeTooLong, reTooLong, "Data too long for column '$1'"},
		{gmstypes.ErrConvertingToTime, CodeBadValue, nil, ""},
		{gmstypes.ErrConvertingToTimeOutOfRange, CodeBadValue, nil, ""},
		{gmstypes.ErrConvertingToTimeType, CodeBadValue, nil, ""},
		{gmstypes.ErrDataTruncatedForColumn, CodeDataTruncated, nil, ""},
		{gmstypes.ErrBadCharsetString, CodeWrongValue, nil, ""},
		{sql.ErrInvalidValue, CodeWrongValue, nil, ""},
		{sql.ErrInvalidJson, CodeBadJSON, nil, ""},
		{sql.ErrInvalidJSONText, CodeBadJSONArgument, nil, ""},
		{sql.ErrSavepointDoesNotExist, CodeNoFunction, nil, ""},
		{plan.ErrInsertIntoNotSupported, CodeNotSupported, nil, ""},
		{plan.ErrUpdateNotSupported, CodeNotSupported, nil, ""},
		{plan.ErrDeleteFromNotSupported, CodeNotSupported, nil, ""},
	}
}

type textCode struct {
	text *regexp.Regexp
	code Code
	to   string // in the place of what matches
}

var (
	reOutOfRange = regexp.MustCompile(`out of range`)
	reDropDB     = regexp.MustCompile(`^can't drop database`)
	reNoNewValue = regexp.MustCompile(`^expected ON DUPLICATE KEY ... VALUES\(\) to reference a column, found: (?:__new_ins\.)?(.*)$`)
)

// textCodes is for host errors that have no kind.
func textCodes() []textCode {
	return []textCode{
		{reOutOfRange, CodeOutOfRange, "$0"}, {reDropDB, CodeDBDropMissing, "$0"},
		{reNoNewValue, CodeBadField, "VALUES($1) in ON DUPLICATE KEY UPDATE: column '$1' is not among those that are inserted"},
	}
}

// storageError maps the errors of catalog and storage; nil: not one of theirs.
func storageError(err error) *mysql.SQLError {
	var c *storage.ConstraintError
	if errors.As(err, &c) {
		switch {
		case c.Null:
			return newSQLError(CodeBadNull, fmt.Sprintf("Column '%s' cannot be null", c.Column))
		case c.Long:
			return newSQLError(CodeTooLong, err.Error())
		}
		return newSQLError(CodeWrongValue, err.Error())
	}
	for _, m := range []struct {
		is   error
		code Code
	}{
		{catalog.ErrTableNotFound, CodeNoSuchTable},
		{catalog.ErrTableExist, CodeTableExists},
		{catalog.ErrDatabaseNotFound, CodeBadDatabase},
		{catalog.ErrDatabaseExist, CodeDBExists},
		{catalog.ErrName, CodeWrongName},
		{catalog.ErrAmbiguous, CodeAmbiguous},
		{storage.ErrWriteConflict, CodeDeadlock},
		{storage.ErrUnsupported, CodeNotSupported},
		{storage.ErrNoVersion, CodeBadValue},
		{storage.ErrNotFound, CodeNoSuchTable},
		{fileio.ErrNoSpace, CodeDiskFull},
		{fileio.ErrReadOnly, CodeTableReadOnly},
		{options.ErrUnknown, CodeUnknownOption},
		{options.ErrValue, CodeOptionValue},
		{options.ErrUnsupported, CodeNotSupported},
		{options.ErrNotHint, CodeUnknownOption},
		{options.ErrConflict, CodeOptionValue},
		{schema.ErrColumnNotFound, CodeBadField},
		{schema.ErrColumnExists, CodeDuplicateColumn},
		{schema.ErrRefused, CodeNotSupported},
		{schema.ErrInvalid, CodeInvalidTable},
		{snapshot.ErrTagExists, CodeWrongArguments},
		{snapshot.ErrTagNotFound, CodeWrongArguments},
	} {
		if errors.Is(err, m.is) {
			return newSQLError(m.code, err.Error())
		}
	}
	return nil
}
