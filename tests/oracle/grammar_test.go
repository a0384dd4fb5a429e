package oracle

// kinds of expressions. The names stand in braces in the texts of grammar.
var kinds = []string{"int", "dec", "dbl", "str", "date", "ts", "time", "bool"}

// literals are the constants of each kind, the simplest first.
var literals = map[string][]string{
	"int":  {"1", "0", "2", "3", "7", "10", "-1", "-5", "100", "2147483648", "NULL"},
	"dec":  {"1.5", "0.0", "0.5", "-2.25", "10.00", "99.99", "0.001", "1234567.891", "NULL"},
	"dbl":  {"1e0", "0e0", "2.5e-1", "-1.5e2", "1e3", "NULL"},
	"str":  {"'a'", "''", "'A'", "'ab'", "'b%'", "'é'", "'中文'", "'10'", "'1.5'", "' x '", "'-3'", "'abcabc'", "NULL"},
	"date": {"DATE '2024-02-29'", "DATE '2024-01-01'", "DATE '1999-12-31'", "DATE '2000-01-01'", "NULL"},
	"ts": {"TIMESTAMP '2024-02-29 12:34:56'", "TIMESTAMP '2024-02-29 00:00:00'", "TIMESTAMP '2024-01-31 23:59:59.999'",
		"TIMESTAMP '1999-12-31 23:59:59.123456'", "NULL"},
	"time": {"TIME '12:34:56'", "TIME '00:00:00'", "TIME '23:59:59.5'", "TIME '100:00:01'", "TIME '-01:30:00'", "NULL"},
	"bool": {"TRUE", "FALSE", "NULL"},
}

// words are the other things that stand in braces.
var words = map[string][]string{
	"n":       {"1", "0", "2", "3", "-1", "5"},
	"cmp":     {"=", "<", ">", "<=", ">=", "<>", "<=>"},
	"pattern": {"'a%'", "'%b%'", "'_'", "'%'", "'A_'", "'b\\%'", "'%é%'", "''", "'_文'", "'1%'"},
	"unit":    {"DAY", "MONTH", "YEAR", "HOUR", "MINUTE", "SECOND", "WEEK", "QUARTER"},
	"pair": {"'1:30' MINUTE_SECOND", "'1 12' DAY_HOUR", "'2-3' YEAR_MONTH", "'1:2:3' HOUR_SECOND", "'1 2:3:4' DAY_SECOND", "'5:6' HOUR_MINUTE",
		"'1 2:3' DAY_MINUTE", "'-1:30' MINUTE_SECOND", "'3.25' SECOND_MICROSECOND", "'1:2.5' MINUTE_MICROSECOND", "'1 1:1:1.1' DAY_MICROSECOND"},
	"field":  {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "QUARTER", "YEAR_MONTH", "DAY_HOUR", "MINUTE_SECOND", "HOUR_MINUTE", "DAY_SECOND"},
	"format": {"'%Y-%m-%d'", "'%d.%m.%y %H:%i:%s'", "'%W %M %e'", "'%j %k %l %p'", "'%a %b %c'", "'%U %u %w'", "'%T %r'", "'%D %h %f'"},
	"day":    {"'2024-02-29'", "'2024-01-01'", "'1999-12-31'"},
	"quant":  {"ANY", "ALL", "SOME"},
}

// grammar has the forms of each kind of expression. In braces stand kinds; num and
// any are one of several kinds; rows.KIND is a subquery of one column, value.KIND one
// of one row at most.
var grammar = map[string][]string{
	"int": {
		"({int} + {int})", "({int} - {int})", "({int} * {n})", "({int} DIV {int})", "({int} % {int})", "MOD({int}, {n})", "(- {int})",
		"LENGTH({str})", "CHAR_LENGTH({str})", "ASCII({str})", "INSTR({str}, {str})", "LOCATE({str}, {str}, {n})", "STRCMP({str}, {str})",
		"FIELD({str}, {str}, {str})", "FIND_IN_SET({str}, {str})", "CRC32({str})", "BIT_LENGTH({str})", "ORD({str})",
		"YEAR({date})", "MONTH({date})", "DAY({ts})", "DAYOFWEEK({date})", "WEEKDAY({ts})", "DAYOFYEAR({date})", "QUARTER({date})", "WEEK({date})",
		"WEEK({date}, {n})", "YEARWEEK({date})", "HOUR({ts})", "MINUTE({ts})", "SECOND({ts})", "MICROSECOND({ts})", "HOUR({time})", "SECOND({time})",
		"DATEDIFF({date}, {ts})", "TIMESTAMPDIFF({unit}, {ts}, {ts})", "TIMESTAMPDIFF({unit}, {date}, {date})", "EXTRACT({field} FROM {ts})",
		"TO_DAYS({date})", "TO_SECONDS({ts})", "TIME_TO_SEC({time})", "PERIOD_ADD(202402, {n})",
		"ABS({int})", "SIGN({num})", "FLOOR({dec})", "CEIL({dec})", "ROUND({int}, {n})", "TRUNCATE({int}, {n})",
		"CAST({num} AS SIGNED)", "CAST({str} AS SIGNED)", "CAST({date} AS SIGNED)", "CAST({time} AS SIGNED)",
		"CAST(ABS({int}) AS UNSIGNED)", "({int} & {int})", "({int} | {int})", "({int} ^ {int})", "(ABS({int}) << 2)", "(ABS({int}) >> 1)",
		"GREATEST({int}, {int})", "LEAST({int}, {int}, {int})", "INTERVAL({int}, 1, 5, 10)", "({bool} + {int})",
	},
	"dec": {
		"({dec} + {dec})", "({dec} - {int})", "({dec} * {dec})", "({dec} / {dec})", "({int} / {int})", "({int} * {dec})", "({dec} % {dec})", "(- {dec})",
		"ROUND({dec}, {n})", "ROUND({dec})", "TRUNCATE({dec}, {n})", "ABS({dec})", "MOD({dec}, {int})", "GREATEST({dec}, {int})", "LEAST({dec}, {dec})",
		"CAST({num} AS DECIMAL(20,3))", "CAST({str} AS DECIMAL(10,2))", "CAST({dec} AS DECIMAL(8,1))", "CAST({ts} AS DECIMAL(30,6))", "({dec} DIV {dec})", "({ts} + 0)",
	},
	"dbl": {
		"({dbl} + {num})", "({dbl} - {dec})", "({dbl} * {int})", "({dbl} / {num})", "({str} + {int})", "({str} * {dec})", "({num} - {str})",
		"SQRT({num})", "POW({num}, 2)", "EXP({n})", "LN({num})", "LOG10({num})", "ROUND({dbl}, {n})", "ROUND({dbl})", "ABS({dbl})", "FLOOR({dbl})", "CEIL({dbl})",
		"SIN({num})", "ATAN({num}, {num})", "DEGREES({num})", "TRUNCATE({dbl}, {n})", "MOD({dbl}, {int})", "GREATEST({dbl}, {num})", "CAST({num} AS DOUBLE)", "CAST({str} AS DOUBLE)",
	},
	"str": {
		"CONCAT({str}, {str})", "CONCAT({str}, {any})", "CONCAT_WS({str}, {str}, {str})", "UPPER({str})", "LOWER({str})", "SUBSTRING({str}, {n})",
		"SUBSTRING({str}, {n}, {n})", "LEFT({str}, {n})", "RIGHT({str}, {n})", "TRIM({str})", "LTRIM({str})", "RTRIM({str})", "TRIM(LEADING 'a' FROM {str})",
		"TRIM(BOTH {str} FROM {str})", "LPAD({str}, 5, 'xy')", "RPAD({str}, {n}, 'é')", "REPLACE({str}, {str}, 'xy')", "REVERSE({str})", "REPEAT({str}, {n})",
		"HEX({str})", "HEX({int})", "BIN({int})", "OCT({int})", "CONV({int}, 10, 16)", "ELT({n}, {str}, {str})", "SPACE({n})", "INSERT({str}, {n}, {n}, {str})",
		"SUBSTRING_INDEX({str}, {str}, {n})", "QUOTE({str})", "MD5({str})", "FORMAT({num}, {n})",
		"DATE_FORMAT({ts}, {format})", "DATE_FORMAT({date}, {format})", "DAYNAME({date})", "MONTHNAME({date})", "TIME_FORMAT({time}, '%H:%i:%s')",
		"CAST({any} AS CHAR)", "CAST({any} AS CHAR(4))", "GREATEST({str}, {str})", "LEAST({str}, {str})", "COALESCE({str}, {any})", "IF({bool}, {str}, {any})",
	},
	"date": {
		"DATE({ts})", "LAST_DAY({ts})", "({date} + INTERVAL {n} DAY)", "({date} - INTERVAL {int} MONTH)", "DATE_ADD({date}, INTERVAL {n} YEAR)", "CAST({ts} AS DATE)",
		"CAST({day} AS DATE)", "MAKEDATE(2024, 60 + {n})", "FROM_DAYS(739000 + {n})", "GREATEST({date}, {date})", "LEAST({date}, {date})", "STR_TO_DATE({day}, '%Y-%m-%d')",
	},
	"ts": {
		"({ts} + INTERVAL {n} {unit})", "({ts} - INTERVAL {int} HOUR)", "DATE_SUB({ts}, INTERVAL {n} {unit})", "({date} + INTERVAL {n} HOUR)", "CAST({date} AS DATETIME)",
		"TIMESTAMP({date})", "TIMESTAMPADD({unit}, {n}, {ts})", "GREATEST({ts}, {ts})", "LEAST({ts}, {ts})",
		"FROM_UNIXTIME(1700000000 + {n})", "({ts} + INTERVAL {pair})", "DATE_SUB({ts}, INTERVAL {pair})", "TIMESTAMP({date}, {time})", "ADDTIME({ts}, {time})", "({ts} + INTERVAL {dec} SECOND)",
	},
	"time": {
		"TIME({ts})", "SEC_TO_TIME({int})", "MAKETIME({n}, 30, 15)", "TIMEDIFF({ts}, CAST(NULL AS DATETIME))", "ADDTIME({time}, {time})", "SUBTIME({time}, {time})", "CAST({ts} AS TIME(6))",
		"GREATEST({time}, {time})",
	},
	"bool": {
		"({int} {cmp} {int})", "({dec} {cmp} {dec})", "({dbl} {cmp} {dbl})", "({str} {cmp} {str})", "({date} {cmp} {date})", "({ts} {cmp} {ts})", "({time} {cmp} {time})",
		"({num} {cmp} {num})", "({num} {cmp} {str})", "({date} {cmp} {ts})", "({date} {cmp} {day})", "({ts} {cmp} {day})",
		"({bool} AND {bool})", "({bool} OR {bool})", "({bool} XOR {bool})", "(NOT {bool})", "({any} IS NULL)", "({any} IS NOT NULL)", "({bool} IS TRUE)", "({bool} IS NOT FALSE)",
		"({bool} IS UNKNOWN)", "({num} BETWEEN {num} AND {num})", "({str} NOT BETWEEN {str} AND {str})", "({ts} BETWEEN {date} AND {ts})", "({int} IN ({int}, {int}, {int}))",
		"({int} NOT IN ({int}, {dec}))", "({str} IN ({str}, {str}))", "({num} IN ({num}, {num}))", "({date} IN ({day}, {date}))", "({str} LIKE {pattern})", "({str} NOT LIKE {pattern})",
		"({str} LIKE {str})", "(({int}, {str}) = ({int}, {str}))", "(({int}, {int}) IN (({int}, {int}), ({int}, {int})))", "ISNULL({any})",
		"(EXISTS {rows.any})", "(NOT EXISTS {rows.any})", "({int} IN {rows.int})", "({int} NOT IN {rows.int})", "({str} IN {rows.str})", "({date} NOT IN {rows.date})",
		"({num} {cmp} {value.num})", "({int} > {quant} {rows.int})", "({str} <= {quant} {rows.str})", "({dec} = {quant} {rows.dec})",
	},
}

// general has the forms that every kind has; {self} is the kind.
var general = []string{
	"COALESCE({self}, {self})", "IFNULL({self}, {self})", "NULLIF({self}, {self})", "IF({bool}, {self}, {self})", "CASE WHEN {bool} THEN {self} ELSE {self} END",
	"CASE WHEN {bool} THEN {self} WHEN {bool} THEN {self} END", "CASE {int} WHEN {int} THEN {self} ELSE {self} END", "CASE {str} WHEN {str} THEN {self} WHEN {str} THEN {self} END",
	"{value.self}",
}

// aggregates has the forms of each kind over groups; what is in braces is of rows.
var aggregates = map[string][]string{
	"int":  {"COUNT(*)", "COUNT({any})", "COUNT(DISTINCT {any})", "COUNT(DISTINCT {any}, {any})", "MAX({int})", "MIN({int})", "BIT_OR({int})", "BIT_AND({int})", "BIT_XOR({int})"},
	"dec":  {"SUM({int})", "SUM({dec})", "AVG({int})", "AVG({dec})", "SUM(DISTINCT {int})", "AVG(DISTINCT {dec})", "MAX({dec})", "MIN({dec})", "SUM({bool})"},
	"dbl":  {"SUM({dbl})", "AVG({dbl})", "MAX({dbl})", "MIN({dbl})", "STDDEV({int})", "VAR_SAMP({dec})", "VARIANCE({dbl})", "SUM({str})"},
	"str":  {"MAX({str})", "MIN({str})", "GROUP_CONCAT(DISTINCT {str} ORDER BY 1 SEPARATOR '|')"},
	"date": {"MAX({date})", "MIN({date})"}, "ts": {"MAX({ts})", "MIN({ts})"}, "time": {"MAX({time})", "MIN({time})"},
	"bool": {"(COUNT({any}) > {n})", "(MAX({int}) {cmp} {n})", "(SUM({int}) {cmp} {n})"},
}

// windows has window functions by kind; {over} is PARTITION BY and a total order,
// {frame} a frame too, {peers} an order with peers.
var windows = map[string][]string{
	"int": {"ROW_NUMBER() OVER ({over})", "RANK() OVER ({peers})", "DENSE_RANK() OVER ({peers})", "NTILE(3) OVER ({over})", "COUNT({any}) OVER ({frame})", "COUNT(*) OVER ({peers})",
		"LAG({int}) OVER ({over})", "LEAD({int}, 2) OVER ({over})", "FIRST_VALUE({int}) OVER ({frame})", "MAX({int}) OVER ({frame})"},
	"dec":  {"SUM({int}) OVER ({frame})", "SUM({dec}) OVER ({peers})", "AVG({dec}) OVER ({frame})", "MIN({dec}) OVER ({frame})", "SUM({dec}) OVER ({frame})", "AVG({int}) OVER ({peers})"},
	"dbl":  {"SUM({dbl}) OVER ({peers})", "AVG({dbl}) OVER ({frame})"},
	"str":  {"LAST_VALUE({str}) OVER ({frame})", "LAG({str}, 1) OVER ({over})", "MIN({str}) OVER ({frame})", "FIRST_VALUE({str}) OVER ({over})"},
	"date": {"MAX({date}) OVER ({peers})", "LEAD({date}) OVER ({over})"},
	"ts":   {"MIN({ts}) OVER ({frame})"},
}
