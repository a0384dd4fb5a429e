// Package plan decides which parts of a host plan run on our own operators.
//
// Used by sqlengine, which puts a Builder in front of the host's executor; uses
// bridge, exec and exec/expr. The plan stays the host's: the Builder is asked for
// every node from the top down, takes what it can run whole, and leaves the rest
// to the host, which asks again for the children.
//
// Before the host's rules run, repair puts our expressions in the place of those
// that the host calculates wrongly: integer and decimal arithmetic, SUM, AVG,
// deviations, times plus intervals; and it types what refers to them and what
// set operations mix. Grouping, DISTINCT, set operations and recursive tables
// with UNION DISTINCT are always ours: on batches where keys and arguments are
// columns of a lake table, else on the host's rows with keys that compare by value.
//
//	running     builder (which node goes where); compile, predicate, rowadapter,
//	            batchgroup, sort: on batches; aggregate, states, distinct, setop,
//	            recursive, rollup, window, windowframe, rowsort, rowkey: on rows;
//	            rerun, access, probe, joinkey, keyindex, keptnode: what is read again
//	            and again (correlated subqueries, LATERAL, nested loops); afresh:
//	            statements that run again
//	writing     dml, assignments (of LOAD DATA), denied
//	repair      retype (the rule, and the types of references); arith, numeric,
//	            bounded, total: numbers; compare: comparisons; branches: IF and its
//	            kin; temporal, shift: times; unify, single, like, byname: others;
//	            existence, member: EXISTS, NOT IN; onceonly: subqueries of select lists
//	checks      fullgroup, depends (ONLY_FULL_GROUP_BY), derived (names)
//	statements  show, grants, kill, describe, describequery (EXPLAIN)
//	results     origin (which table column a result column is)
//	planning    coster, memory (meters where the host keeps rows), hashkey (keys of
//	            hash joins), unprune (joins that the host miscounts)
//
// Rules: (1) a node is taken only when its result is the same as MySQL's; where
// the host is wrong (docs/sql.md lists it) it is taken or refused, not left;
// (2) inside a subquery's row scope nothing but lake tables and their filters is taken
// onto batches, since column indexes are shifted there; (3) nothing is kept between statements.
package plan
