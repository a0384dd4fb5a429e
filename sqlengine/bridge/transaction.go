package bridge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage"
)

// Transaction is what one autocommitted statement, or all statements up to
// COMMIT, read and write: a pinned view and a write for each table.
type Transaction struct {
	start    time.Time
	readOnly bool

	tables []*pinned // in the order of their first use
	travel map[string]*storage.View
	points []point
}

var _ sql.Transaction = (*Transaction)(nil)

// InTransaction reports whether the session is in a transaction as MySQL counts it:
// after BEGIN, and with autocommit off from the first table on.
func InTransaction(ctx *sql.Context) bool {
	tx := ctx.GetTransaction()
	if t, ok := tx.(*Transaction); ok && !ctx.GetIgnoreAutoCommit() {
		return len(t.tables) > 0
	}
	return tx != nil
}

// pinned is one table of a transaction.
type pinned struct {
	table *storage.Table
	view  *storage.View
	write *storage.Write // nil: nothing written

	// While a statement writes the table: first says that nothing was written
	// before it, so that its reads need not look; hold that its rows must be kept
	// back until its reads are over.
	first, hold bool
}

// begin and end enclose a statement that writes.
func (p *pinned) begin() {
	p.first = !p.write.Changes()
	p.hold = !p.first
}

func (p *pinned) end() { p.first, p.hold = false, false }

// point is a savepoint.
type point struct {
	name  string
	marks map[*pinned]storage.Mark // of writes that existed
}

func newTransaction(readOnly bool) *Transaction {
	return &Transaction{start: time.Now(), readOnly: readOnly, travel: map[string]*storage.View{}}
}

// String implements fmt.Stringer.
func (t *Transaction) String() string { return "transaction of " + t.start.Format(time.RFC3339Nano) }

// IsReadOnly implements sql.Transaction.
func (t *Transaction) IsReadOnly() bool { return t.readOnly }

// transactionOf is the transaction of a statement.
func transactionOf(ctx *sql.Context) (*Transaction, error) {
	if t, ok := ctx.GetTransaction().(*Transaction); ok && t != nil {
		return t, nil
	}
	// Statements outside of the host's own life cycle, such as preparing, plan
	// without one.
	t := newTransaction(false)
	ctx.SetTransaction(t)
	return t, nil
}

func (t *Transaction) find(table *storage.Table) *pinned {
	for _, p := range t.tables {
		if p.table == table {
			return p
		}
	}
	return nil
}

// pin returns the transaction's version of a table, taken at its first use: in a
// transaction that the user ends, the table as it was when that began.
func (t *Transaction) pin(ctx *sql.Context, table *storage.Table) (*pinned, error) {
	if p := t.find(table); p != nil {
		return p, nil
	}
	o := storage.ViewOptions{Location: Location(ctx)}
	if explicit(ctx) {
		o.NotAfter = t.start
	}
	v, err := table.View(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &pinned{table: table, view: v}
	t.tables = append(t.tables, p)
	return p, nil
}

// travelView is the version of a table that options lead to, the same for equal
// options.
func (t *Transaction) travelView(ctx *sql.Context, table *storage.Table, o storage.ViewOptions) (*storage.View, error) {
	var key strings.Builder
	fmt.Fprintf(&key, "%s\x00%s\x00%s", table.Dir(), o.AsOf.Version, o.Location)
	if o.AsOf.TimeMillis != nil {
		fmt.Fprintf(&key, "\x00%d", *o.AsOf.TimeMillis)
	}
	for _, k := range slices.Sorted(maps.Keys(o.Dynamic)) {
		fmt.Fprintf(&key, "\x00%s\x00%s", k, o.Dynamic[k])
	}
	if v := t.travel[key.String()]; v != nil {
		return v, nil
	}
	v, err := table.View(ctx, o)
	if err != nil {
		return nil, err
	}
	t.travel[key.String()] = v
	return v, nil
}

// writer returns the write of a table, opened at its first use.
func (t *Transaction) writer(ctx *sql.Context, table *storage.Table, o storage.WriteOptions) (*pinned, error) {
	if t.readOnly {
		return nil, Errorf(CodeReadOnlyTx, "Cannot execute statement in a READ ONLY transaction.")
	}
	p, err := t.pin(ctx, table)
	if err != nil {
		return nil, err
	}
	if p.write != nil && o.Overwrite != nil {
		return nil, Errorf(CodeNotSupported, "INSERT OVERWRITE after other writes to %s in one transaction is not supported", table.Name())
	}
	if p.write == nil {
		p.write = p.view.Write(o)
	} else if o.ReadModify {
		p.write.SetReadModify()
	}
	return p, nil
}

// commit publishes every table's rows, in the order of first use, and releases
// all. After an error nothing more is published.
func (t *Transaction) commit(ctx *sql.Context) error {
	defer t.release()
	for _, p := range t.tables {
		if err := p.publish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// deadlock is MySQL's text of CodeDeadlock.
const deadlock = "Deadlock found when trying to get lock; try restarting transaction"

func (p *pinned) publish(ctx *sql.Context) error {
	w := p.write
	if w == nil {
		return nil
	}
	p.write = nil
	if _, err := w.Commit(ctx); err != nil {
		if errors.Is(err, storage.ErrWriteConflict) {
			return &codedError{CodeDeadlock, fmt.Errorf("%s: %w", deadlock, err)}
		}
		return fmt.Errorf("write to table %s: %w", p.table.Name(), err)
	}
	return nil
}

// renew forgets the versions that were read, so that a statement can run again
// on newer ones. Only for statements with a transaction of their own.
func (t *Transaction) renew() { t.release() }

// release gives up everything that was not published.
func (t *Transaction) release() {
	for _, p := range t.tables {
		if p.write != nil {
			p.write.Abort()
		}
		p.view.Close()
	}
	for _, v := range t.travel {
		v.Close()
	}
	t.tables, t.points = nil, nil
	clear(t.travel)
}

func (t *Transaction) savepoint(name string) {
	t.points = slices.DeleteFunc(t.points, func(p point) bool { return strings.EqualFold(p.name, name) })
	t.points = append(t.points, point{name: name, marks: t.marks()})
}

// marks are the present places of all writes.
func (t *Transaction) marks() map[*pinned]storage.Mark {
	m := map[*pinned]storage.Mark{}
	for _, x := range t.tables {
		if x.write != nil {
			m[x] = x.write.Mark()
		}
	}
	return m
}

func (t *Transaction) pointIndex(name string) (int, error) {
	for i, p := range t.points {
		if strings.EqualFold(p.name, name) {
			return i, nil
		}
	}
	return 0, Errorf(CodeNoFunction, "SAVEPOINT %s does not exist", name)
}

func (t *Transaction) rollbackTo(name string) error {
	i, err := t.pointIndex(name)
	if err != nil {
		return err
	}
	t.rewind(t.points[i].marks)
	t.points = t.points[:i+1]
	return nil
}

// rewind takes every write back to its mark; writes without one go.
func (t *Transaction) rewind(marks map[*pinned]storage.Mark) {
	for _, x := range t.tables {
		if x.write == nil {
			continue
		}
		if m, ok := marks[x]; ok {
			x.write.Rewind(m)
			continue
		}
		x.write.Abort()
		x.write = nil
	}
}

func (t *Transaction) releaseSavepoint(name string) error {
	i, err := t.pointIndex(name)
	if err != nil {
		return err
	}
	t.points = t.points[:i]
	return nil
}
