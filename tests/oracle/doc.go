// Package oracle holds lakesql's SQL against a MySQL-family server: the plain SQL of
// tests/sqllogic, so that what the scripts want is what such a server answers, and
// random statements, which both must answer alike.
//
// "run" starts a private server and tells the tests where it is; without it they are
// skipped. TestRandom prints the seed and a statement that it made smaller:
//
//	tests/oracle/run -run TestRandom -seed=7 -seeds=20 -statements=300
//
//	grammar_test   what expressions are made of; what the other server does unlike
//	               MySQL 8 is left out there
//	generate_test  expressions by the grammar, over the columns in scope
//	query_test     queries: joins, groups, windows, set operations, subqueries
//	tables_test    tables and their rows
//	tree_test      statements as trees that shrink
//	random_test    the test
//
// Left out of the grammar, since the other server differs from MySQL 8: CAST of times
// with fractions to fewer digits and to whole numbers (it cuts, MySQL rounds), PI (its
// digits), PERCENT_RANK (its digits), spans beyond 838:59:59, LPAD with an empty text,
// REPLACE with NULL, BIT_COUNT in averages, constants in ORDER BY.
package oracle
