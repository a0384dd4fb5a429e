// Package funcs holds the scalar functions of MySQL that the host lacks or has
// wrongly.
//
// Used by sqlengine, which hands them to bridge's Provider, before whose answer
// the host does not look among its own, and by plan, which puts them in the place
// of what the host builds without asking by name. Uses bridge, dialect for the
// names of what it rewrites, exec/expr and the host.
//
//	funcs      the list, and calls as expressions of the host
//	args       arguments as numbers, texts, times
//	clock      functions of times of day
//	calendar   functions of dates
//	strtodate  STR_TO_DATE; readtime reads a text by its format
//	zone       functions that read the time zone
//	interval   values of INTERVAL, and dates moved by them
//	format     FORMAT, BENCHMARK
//	exact      constants that the host may not change
//	number     functions of numbers, GREATEST and LEAST
//	bits       &, |, ^, <<, >> and BIT_COUNT
//	text       functions of texts and sets
//	packet     texts that may not be longer than a packet
//	cast       conversions of dates and times
//	quantified comparison with ANY and ALL of a subquery
//	assign     @name := value
//	rollup     keys of GROUP BY … WITH ROLLUP, and GROUPING
//
// Rules: (1) a function gives NULL for NULL unless its entry says otherwise; (2)
// the type of a call follows from the types of its arguments alone; (3) a value
// that MySQL warns of gives NULL or the nearest value, with the warning.
package funcs
