package procs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
)

// args are the arguments of one call by the parameter's first name. NULL is an
// argument that is not given.
type args struct {
	proc   string
	values map[string]any
}

func (a *args) errorf(format string, v ...any) error {
	return bridge.Errorf(bridge.CodeWrongArguments, "sys.%s: %s", a.proc, fmt.Sprintf(format, v...))
}

func (a *args) has(name string) bool { return a.values[name] != nil }

// text is an argument as text; "" when it is not given.
func (a *args) text(name string) string {
	switch v := a.values[name].(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.000")
	default:
		return fmt.Sprint(v)
	}
}

// integer is an argument as a number; nil when it is not given.
func (a *args) integer(name string) (*int64, error) {
	if !a.has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(a.text(name)), 10, 64)
	if err != nil {
		return nil, a.errorf("argument '%s' must be a whole number, not '%s'", name, a.text(name))
	}
	return &n, nil
}

// at is an argument as a point in time, read in the session's zone; nil when it
// is not given.
func (a *args) at(ctx *sql.Context, name string) (*time.Time, error) {
	if !a.has(name) {
		return nil, nil
	}
	v := bridge.ParseInstant(a.text(name), bridge.Location(ctx))
	if v == nil {
		return nil, a.errorf("argument '%s' must be a time such as '2026-11-29 10:00:00', not '%s'", name, a.text(name))
	}
	return v, nil
}

// refuse refuses arguments of features that are not built.
func (a *args) refuse(names ...string) error {
	for _, n := range names {
		if a.has(n) {
			return bridge.Errorf(bridge.CodeNotSupported, "sys.%s: argument '%s' is not supported yet", a.proc, n)
		}
	}
	return nil
}

// partitions reads 'dt=a,hh=1;dt=b': specs, columns to texts.
func (a *args) partitions(name string) ([]map[string]string, error) {
	if !a.has(name) {
		return nil, nil
	}
	var out []map[string]string
	for _, part := range strings.Split(a.text(name), ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		spec := map[string]string{}
		for _, kv := range strings.Split(part, ",") {
			k, v, ok := strings.Cut(kv, "=")
			if !ok {
				return nil, a.errorf("argument '%s' must be like 'dt=2026-01-01,hh=10;dt=2026-01-02', not '%s'", name, a.text(name))
			}
			spec[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
		out = append(out, spec)
	}
	return out, nil
}

// eachPartition runs do for the table of argument "table": once for each partition
// spec of the named argument, once with nil when it is not given.
func (a *args) eachPartition(ctx *sql.Context, b *Builder, name string, do func(*storage.Table, map[string]columnar.Value) error) error {
	t, err := b.tableText(ctx, a.text("table"))
	if err != nil {
		return err
	}
	specs, err := a.partitions(name)
	if err != nil {
		return err
	}
	if specs == nil {
		specs = []map[string]string{nil}
	}
	s, err := t.Schema(ctx)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		partition, err := partitionValues(s, spec)
		if err != nil {
			return err
		}
		if err := do(t, partition); err != nil {
			return err
		}
	}
	return nil
}

// pattern is an argument as a regular expression for whole names; other when it is
// not given.
func (a *args) pattern(name, other string) (*regexp.Regexp, error) {
	text := a.text(name)
	if text == "" {
		text = other
	}
	r, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, a.errorf("argument '%s' is no regular expression: %v", name, err)
	}
	return r, nil
}

// boolean is an argument as a truth value; false when it is not given.
func (a *args) boolean(name string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(a.text(name))) {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	}
	return false, a.errorf("argument '%s' must be true or false, not '%s'", name, a.text(name))
}
