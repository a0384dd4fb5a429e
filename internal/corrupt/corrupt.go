package corrupt

import (
	"errors"
	"fmt"
)

// Err matches every corruption error under errors.Is.
var Err = errors.New("corrupt file")

// NoOffset stands for an offset that is not known.
const NoOffset int64 = -1

// Error says that the bytes of a file break a rule of its format.
type Error struct {
	Path   string // file, or "" when the decoder was handed bytes alone
	Offset int64  // byte offset in the file, or NoOffset
	Detail error  // what is wrong
}

// Errorf returns an Error for path at offset; format and args say what is wrong.
func Errorf(path string, offset int64, format string, args ...any) error {
	return &Error{Path: path, Offset: offset, Detail: fmt.Errorf(format, args...)}
}

// Wrap turns err into a corruption error of path, or completes the path of one
// that has none. It returns nil for a nil err, and err itself when it is a
// corruption error that already names a file.
func Wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		if e.Path != "" {
			return err
		}
		return &Error{Path: path, Offset: e.Offset, Detail: e.Detail}
	}
	return &Error{Path: path, Offset: NoOffset, Detail: err}
}

func (e *Error) Error() string {
	where := e.Path
	if where == "" {
		where = "data"
	}
	if e.Offset >= 0 {
		return fmt.Sprintf("%s is damaged at byte %d: %v", where, e.Offset, e.Detail)
	}
	return fmt.Sprintf("%s is damaged: %v", where, e.Detail)
}

// Is reports whether target is Err.
func (e *Error) Is(target error) bool { return target == Err }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Detail }
