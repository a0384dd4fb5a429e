package sqlengine

import (
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// statusVariables are the host's counters, with the age of the engine, which the
// host does not count.
type statusVariables struct {
	sql.StatusVariableRegistry
	started time.Time
}

// setStatus puts ours in front of the host's counters, which are process-wide.
func setStatus(started time.Time) {
	host := sql.StatusVariables
	if before, ok := host.(statusVariables); ok {
		host = before.StatusVariableRegistry
	}
	sql.StatusVariables = statusVariables{host, started}
}

// NewGlobalMap implements sql.StatusVariableRegistry.
func (s statusVariables) NewGlobalMap() map[string]sql.StatusVarValue {
	all := s.StatusVariableRegistry.NewGlobalMap()
	for _, name := range []string{"Uptime", "Uptime_since_flush_status"} {
		if v, ok := all[name]; ok {
			age := &atomic.Uint64{}
			age.Store(s.age())
			all[name] = &sql.MutableStatusVarValue{Var: v.Variable(), Val: age}
		}
	}
	return all
}

// age is in seconds; the first one has begun.
func (s statusVariables) age() uint64 { return max(1, uint64(time.Since(s.started)/time.Second)) }
