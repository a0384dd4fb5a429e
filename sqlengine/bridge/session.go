package bridge

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
)

// Session is a client's session: the host's variables, and the transaction.
type Session struct {
	*sql.BaseSession
	strict   bool           // a statement writes a table
	previous []*sql.Warning // of the statement before, for those that ask after them
	warned   int            // warnings of the statement, those that are not kept included
	before   int            // the same of the statement before
	keep     int            // how many are kept, max_error_count; read at the first one
	silent   bool           // the statement shows warnings and tells of none
	budget   *membudget.Budget
	keeps    map[any]interface{ Close() } // of the statement that runs, see Once
	zone     atomic.Pointer[zone]         // the last that Location read
	command  atomic.Pointer[command]      // that runs; nil between commands
}

var (
	_ sql.TransactionSession    = (*Session)(nil)
	_ sql.LifecycleAwareSession = (*Session)(nil)
)

// NewSession wraps the host's session. What its statements keep in memory counts
// against budget; nil is without a limit.
func NewSession(base *sql.BaseSession, budget *membudget.Budget) *Session {
	return &Session{BaseSession: base, budget: budget}
}

// SessionOf is the session of a statement.
func SessionOf(ctx *sql.Context) (*Session, error) {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return nil, Errorf(CodeUnknown, "internal error: a session of type %T", ctx.Session)
	}
	return s, nil
}

// Warnings are those of the last statement in the order in which they came up; the
// host's are the other way round.
func (s *Session) Warnings() []*sql.Warning {
	w := slices.Clone(s.BaseSession.Warnings())
	slices.Reverse(w)
	return w
}

// Warn implements sql.Session. No more are kept than max_error_count says.
func (s *Session) Warn(w *sql.Warning) {
	if s.warned == 0 {
		s.keep = s.maxWarnings()
	}
	s.warned++
	if s.warned <= s.keep {
		s.BaseSession.Warn(w)
	}
}

func (s *Session) maxWarnings() int {
	v, err := s.BaseSession.GetSessionVariable(nil, "max_error_count")
	if n, ok := Int64(v); ok && err == nil {
		return int(n)
	}
	return math.MaxInt
}

// WarningCount implements sql.Session: of all warnings, kept or not.
func (s *Session) WarningCount() uint16 {
	if s.silent {
		return 0
	}
	return uint16(min(s.warned, math.MaxUint16))
}

// ClearWarningCount implements sql.Session: a statement shows the warnings.
func (s *Session) ClearWarningCount() { s.silent = true }

// ClearWarnings implements sql.Session: a statement begins.
func (s *Session) ClearWarnings() {
	s.previous, s.before = s.Warnings(), s.warned
	s.warned, s.silent = 0, false
	s.BaseSession.ClearWarnings()
}

// GetSessionVariable implements sql.Session, for those variables that tell what is.
func (s *Session) GetSessionVariable(ctx *sql.Context, name string) (any, error) {
	switch lower := strings.ToLower(name); lower {
	case "warning_count":
		return s.countWarnings(""), nil
	case "error_count":
		return s.countWarnings("Error"), nil
	case Timestamp:
		if at := s.timestamp(ctx); at != 0 {
			return at, nil
		}
		return float64(ctx.QueryTime().UnixMicro()) / 1e6, nil
	}
	return s.BaseSession.GetSessionVariable(ctx, name)
}

// warningsOf notes the warnings of the statement so far; again takes back those that
// come up later, for a run that begins anew.
func warningsOf(ctx *sql.Context) (again func()) {
	s, err := SessionOf(ctx)
	if err != nil {
		return func() {}
	}
	kept, warned := s.Warnings(), s.warned
	return func() {
		s.BaseSession.ClearWarnings()
		for _, w := range kept {
			s.BaseSession.Warn(w)
		}
		s.warned = warned
	}
}

// countWarnings counts those of one level, or of all. A statement that asks leaves the
// warnings of the statement before as they are.
func (s *Session) countWarnings(level string) (n uint64) {
	for _, w := range s.previous {
		s.Warn(w)
	}
	s.warned += s.before - len(s.previous)
	s.previous, s.before = nil, 0
	if level == "" {
		return uint64(s.warned)
	}
	for _, w := range s.Warnings() {
		if strings.EqualFold(w.Level, level) {
			n++
		}
	}
	return n
}

// Timestamp is the variable that sets a session's clock, in seconds since 1970; 0 lets
// it go.
const Timestamp = "timestamp"

func (s *Session) timestamp(ctx *sql.Context) float64 {
	v, err := s.BaseSession.GetSessionVariable(ctx, Timestamp)
	at, ok := v.(float64)
	if err != nil || !ok {
		return 0
	}
	return at
}

// explicit reports whether the statement runs in a transaction that the user ends.
func explicit(ctx *sql.Context) bool {
	if ctx.GetIgnoreAutoCommit() {
		return true
	}
	auto, err := plan.IsSessionAutocommit(ctx)
	return err == nil && !auto
}

// StartTransaction implements sql.TransactionSession.
func (s *Session) StartTransaction(ctx *sql.Context, c sql.TransactionCharacteristic) (sql.Transaction, error) {
	return newTransaction(c == sql.ReadOnly), nil
}

// CommitTransaction implements sql.TransactionSession: it publishes what was
// written, table by table, and releases the views.
func (s *Session) CommitTransaction(ctx *sql.Context, tx sql.Transaction) error {
	t, ok := tx.(*Transaction)
	if !ok {
		return nil
	}
	err := t.commit(ctx)
	if err != nil && t == ctx.GetTransaction() {
		// What could not be published is gone, as after a deadlock.
		ctx.SetTransaction(nil)
		ctx.SetIgnoreAutoCommit(false)
	}
	return err
}

// Rollback implements sql.TransactionSession.
func (s *Session) Rollback(_ *sql.Context, tx sql.Transaction) error {
	if t, ok := tx.(*Transaction); ok {
		t.release()
	}
	return nil
}

// CreateSavepoint implements sql.TransactionSession.
func (s *Session) CreateSavepoint(_ *sql.Context, tx sql.Transaction, name string) error {
	if t, ok := tx.(*Transaction); ok {
		t.savepoint(name)
	}
	return nil
}

// RollbackToSavepoint implements sql.TransactionSession.
func (s *Session) RollbackToSavepoint(_ *sql.Context, tx sql.Transaction, name string) error {
	if t, ok := tx.(*Transaction); ok {
		return t.rollbackTo(name)
	}
	return nil
}

// ReleaseSavepoint implements sql.TransactionSession.
func (s *Session) ReleaseSavepoint(_ *sql.Context, tx sql.Transaction, name string) error {
	if t, ok := tx.(*Transaction); ok {
		return t.releaseSavepoint(name)
	}
	return nil
}

// RollbackStatement undoes what the current statement wrote when it has a
// transaction of its own. Statements inside a transaction undo themselves.
func (s *Session) RollbackStatement(ctx *sql.Context) {
	if explicit(ctx) {
		return
	}
	s.drop()
}

// drop releases the session's transaction without publishing.
func (s *Session) drop() {
	if t, ok := s.GetTransaction().(*Transaction); ok && t != nil {
		t.release()
	}
	s.SetTransaction(nil)
}

// command is what one command of the client saw first, so that it sees no other later.
type command struct {
	databases atomic.Pointer[[]string] // of the warehouse; nil until they are asked for
}

// CommandBegin implements sql.LifecycleAwareSession.
func (s *Session) CommandBegin() error {
	s.command.Store(new(command))
	return nil
}

// CommandEnd implements sql.LifecycleAwareSession. A statement that failed leaves
// its transaction on the session, where the host would commit it with the next
// statement: it is dropped here.
func (s *Session) CommandEnd() {
	s.command.Store(nil)
	s.forget()
	if s.GetTransaction() == nil {
		return
	}
	if !explicit(sql.NewContext(context.Background(), sql.WithSession(s))) {
		s.drop()
	}
}

// SessionEnd implements sql.LifecycleAwareSession.
func (s *Session) SessionEnd() {
	s.forget()
	s.drop()
}
