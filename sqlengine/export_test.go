package sqlengine

import sqle "github.com/dolthub/go-mysql-server"

// HostEngine is the engine underneath, whose executor tests exchange.
func (e *Engine) HostEngine() *sqle.Engine { return e.host }
