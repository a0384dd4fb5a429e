package sqlengine

import sqle "github.com/dolthub/go-mysql-server"

// Host is the engine underneath, for the host's own test suites. Statements given
// to it bypass wire's handler: the caller ends a failed statement's transaction.
func (e *Engine) Host() *sqle.Engine { return e.host }
