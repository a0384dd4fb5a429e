// Package canonical prints and reads rows in the one text form that every engine
// of the interoperability tests shares: a JSON array of the column values a line.
//
// Used by the tests and tools under tests/interop; uses columnar and types.
//
//	BOOLEAN          true, false            DATE           "2026-11-29"
//	integers         -42                    TIME           "10:00:00.000"
//	FLOAT, DOUBLE    0.1, 1e+06, "NaN"      TIMESTAMP(p)   "2026-11-29 10:00:00.123"
//	DECIMAL(p, s)    "12.30"                TIMESTAMP_LTZ  the same in UTC and Z
//	text             "é\n"                  ARRAY, ROW     [1,null]
//	bytes            "0x00ff"               MAP, MULTISET  [[key,value],…] by key text
//	VARIANT          {"variant":{"a":[1.5]}}
package canonical
