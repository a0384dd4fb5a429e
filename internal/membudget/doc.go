// Package membudget counts the memory that long-lived holders of rows use, and
// says no before the machine does.
//
// Used by whoever keeps data for longer than one batch: memtables, sorts, joins,
// caches. Uses nothing. A holder opens an Account, reserves before it allocates,
// and closes the account when it lets go. A refusal means flush or spill, not
// failure; a holder that has nothing to flush may Force, so that one row larger
// than the budget still gets through. An operator of a statement that can do neither
// is a Holder: its refusal is a *LimitError, which ends the statement.
//
// Budgets and accounts are safe for many goroutines and take no lock.
package membudget
