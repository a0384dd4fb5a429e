package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/storage/columnar"
)

// budgetOf is the memory budget of the lake tables under a node; nil when there
// are none.
func budgetOf(n sql.Node) *membudget.Budget {
	var b *membudget.Budget
	transform.Inspect(n, func(n sql.Node) bool {
		if b != nil || n == nil {
			return false
		}
		if t, ok := tableOf(n); ok {
			b = t.Handle().Env().Budget()
		}
		return b == nil
	})
	return b
}

// account reserves memory for what an operator over rows keeps. The zero value is
// not usable.
type account struct {
	*membudget.Account
	what string
}

// checkEvery is after how many kept rows the account is looked at.
const checkEvery = 1024

func newAccount(b *membudget.Budget, what string) *account {
	return &account{b.Account(), what}
}

// hold brings the account to n bytes.
func (a *account) hold(n int64) error {
	if more := n - a.Held(); more > 0 && !a.Reserve(more) {
		return bridge.WithCode(bridge.CodeOutOfMemory, fmt.Errorf("%w: %s needs %d MiB", exec.ErrMemory, a.what, n>>20))
	}
	return nil
}

// coded gives the memory error of an operator over batches its MySQL number.
type coded struct{ columnar.Reader }

// Next implements columnar.Reader.
func (r coded) Next(ctx context.Context) (*columnar.Batch, error) {
	b, err := r.Reader.Next(ctx)
	if errors.Is(err, exec.ErrMemory) {
		err = bridge.WithCode(bridge.CodeOutOfMemory, err)
	}
	return b, err
}
