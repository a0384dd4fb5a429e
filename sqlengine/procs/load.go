package procs

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/sqlengine/loadfile"
	"github.com/lakesql/lakesql/sqlengine/plan"
)

// loadData is LOAD DATA. A file of the client is asked for when everything else is
// known to be right.
func (b *Builder) loadData(s *dialect.LoadData) *node {
	return ok(s, func(ctx *sql.Context) (bridge.Result, error) {
		if w := strings.Fields(ctx.Query()); len(w) > 0 && strings.EqualFold(w[0], "EXECUTE") {
			return bridge.Result{}, dialect.NotPrepared()
		}
		l, err := b.load(ctx, s)
		if err != nil {
			return bridge.Result{}, err
		}
		return l.Run(ctx)
	})
}

func (b *Builder) load(ctx *sql.Context, s *dialect.LoadData) (*bridge.Load, error) {
	l := &bridge.Load{Once: s.Local, Skip: s.SkipLines, Replace: s.Replace, Keep: s.Ignore, Lenient: s.Ignore || s.Local && !s.Replace}
	var err error
	if l.Open, err = b.opener(s); err != nil {
		return nil, err
	}
	if l.Format, err = loadFormat(ctx, s.Format); err != nil {
		return nil, err
	}
	if l.Charset, err = loadCharset(s.Charset); err != nil {
		return nil, err
	}
	db, err := b.database(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	if target := (hints.Target{Options: s.Options, Partition: s.Partition}); !target.IsZero() {
		db = target.Qualify(db)
	}
	if l.Table, err = b.provider.Target(ctx, db, s.Name.Table); err != nil {
		return nil, err
	}
	for _, name := range s.Columns {
		f := bridge.LoadField{Column: name}
		if v, ok := strings.CutPrefix(name, "@"); ok {
			f = bridge.LoadField{Variable: strings.ToLower(strings.Trim(v, "`'\""))}
			// Expressions are planned for the type that the variable will have.
			if err := ctx.SetUserVariable(ctx, f.Variable, nil, gmstypes.LongText); err != nil {
				return nil, err
			}
		}
		l.Fields = append(l.Fields, f)
	}
	if s.Set == nil {
		return l, nil
	}
	assign := func(ctx *sql.Context) ([]sql.Expression, error) {
		n, err := b.analyze(ctx, s.Set, ctx.Query())
		if err != nil {
			return nil, err
		}
		return plan.Assignments(ctx, n, l.Table)
	}
	if l.Assign, err = assign(ctx); err != nil {
		return nil, err
	}
	if len(l.Fields) > 0 && plan.HasSubquery(l.Assign) {
		l.Replan = assign // a subquery is planned for the variables as they are
	}
	return l, nil
}

// opener gives the file: the client's, or one of the server.
func (b *Builder) opener(s *dialect.LoadData) (func(*sql.Context) (io.ReadCloser, error), error) {
	if s.Local {
		if _, v, ok := sql.SystemVariables.GetGlobal("local_infile"); ok {
			if n, ok := bridge.Int64(v); ok && n == 0 {
				return nil, bridge.LocalDisabled()
			}
		}
		return func(ctx *sql.Context) (io.ReadCloser, error) { return ctx.LoadInfile(s.File) }, nil
	}
	const prevented = "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement"
	if b.fileDir == "" {
		return nil, bridge.Errorf(bridge.CodeReadOnly, prevented+": no folder of the server is open to it (lakesql serve --secure-file-priv DIR); LOAD DATA LOCAL sends a file of the client")
	}
	return func(*sql.Context) (io.ReadCloser, error) {
		f, err := loadfile.OpenBelow(b.fileDir, s.File)
		var no syscall.Errno
		errors.As(err, &no)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, loadfile.ErrOutside):
			return nil, bridge.Errorf(bridge.CodeReadOnly, prevented+": '%s' is not in %s", s.File, b.fileDir)
		case errors.Is(err, fs.ErrNotExist):
			return nil, bridge.Errorf(bridge.CodeNoStat, "Can't get stat of '%s' (OS errno %d - %s)", s.File, int(no), osText(no))
		case errors.Is(err, fs.ErrPermission):
			return nil, bridge.Errorf(bridge.CodeNoFile, "File '%s' not found (OS errno %d - %s)", s.File, int(no), osText(no))
		}
		return nil, err
	}, nil
}

// osText is what the system calls an error, as C writes it.
func osText(no syscall.Errno) string {
	text := no.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

func loadFormat(ctx *sql.Context, f dialect.LoadFormat) (loadfile.Format, error) {
	if f.Terminated == "" && f.Enclosed == "" {
		return loadfile.Format{}, bridge.Errorf(bridge.CodeNotSupported,
			"LOAD DATA with fields of fixed length (FIELDS TERMINATED BY '' ENCLOSED BY '') is not supported: columns have no display width")
	}
	for _, s := range []string{f.Terminated, f.Enclosed, f.Escaped, f.LineStarting, f.LineTerminated} {
		if strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) >= 0 {
			ctx.Warn(bridge.CodeNonASCII.Num, "Non-ASCII separator arguments are not fully supported")
			break
		}
	}
	return loadfile.Format{FieldEnd: f.Terminated, Enclosed: f.Enclosed, Escaped: f.Escaped, LineStart: f.LineStarting, LineEnd: f.LineTerminated}, nil
}

func loadCharset(name string) (loadfile.Charset, error) {
	if name == "" {
		return loadfile.UTF8MB4, nil
	}
	if c, ok := loadfile.ParseCharset(name); ok {
		return c, nil
	}
	if _, err := sql.ParseCharacterSet(name); err != nil {
		return 0, bridge.Errorf(bridge.CodeUnknownCharset, "Unknown character set: '%s'", name)
	}
	return 0, bridge.Errorf(bridge.CodeNotSupported, "LOAD DATA … CHARACTER SET %s is not supported: files are utf8mb4, utf8, ascii, latin1 or binary", name)
}
